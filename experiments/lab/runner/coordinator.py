"""The coordinator: slots that claim entries and run them, until nothing is left to start."""

import contextlib
import signal
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass

from lab.domain.run import RunRecord
from lab.errors import LabError
from lab.runner import kept, one_run
from lab.runner.admission import Admission
from lab.runner.claims import Claims
from lab.runner.context import Context
from lab.runner.control import Command, ControlWatch
from lab.runner.live import Listener, snapshot, utc_now
from lab.runner.one_run import Claim
from lab.runner.preflight import Preflights
from lab.runner.recipe import Recipe
from lab.runner.session import End
from lab.store.atomic import REMEDIES, CannotWrite

TICK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Seat:
    """What a coordinator works with."""

    context: Context
    recipes: tuple[Recipe, ...]
    claims: Claims
    control: ControlWatch
    listener: Listener
    shards: int


class Stop:
    """The one switch that ends a batch early; `wait` sleeps until then."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep; False = woken because the batch ends."""
        return not self._event.wait(seconds) if seconds > 0 else not self._event.is_set()


class Coordinator:
    """Runs slots as threads; the main thread listens to signals and the control file."""

    def __init__(self, seat: Seat, stop: Stop) -> None:
        self._seat, self._stop = seat, stop
        self._preflights = Preflights(seat.context)
        self._admission = Admission(seat.context.paths.runs, seat.context.defaults)
        self._slots: list[threading.Thread] = []
        self._wanted = seat.shards
        self._fatal: BaseException | None = None
        self._is_draining = False
        self._paused: str | None = None

    def run(self) -> End:
        """Work until the end; raises what stopped the batch where the user can mend it."""
        with self._signals():
            self._add_slots()
            while slot := self._busy():
                slot.join(TICK_SECONDS)
                self._obey()
                self._tell()
        self._tell()
        if self._fatal is not None:
            raise self._fatal
        return self._end()

    def _end(self) -> End:
        state = self._seat.claims.look()
        if self._stop.is_set():
            return End.INTERRUPTED
        if state.is_complete:
            return End.COMPLETE
        if self._is_draining:
            return End.DRAINED
        return End.STOPPED if self._seat.claims.held() else End.LEFT_TO_OTHERS

    def _add_slots(self) -> None:
        while len(self._slots) < self._wanted:
            number = len(self._slots)
            slot = threading.Thread(target=self._work, args=(number,), name=f"slot-{number}")
            self._slots.append(slot)
            slot.start()

    def _obey(self) -> None:
        asked = self._seat.control.look()
        self._is_draining = self._is_draining or asked.command is Command.DRAIN
        self._wanted = asked.shards or self._seat.shards
        is_paused = asked.command is Command.PAUSE
        self._paused = "asked for (lab watch --resume)" if is_paused else self._admission.refusal()
        if not self._stop.is_set() and not self._is_draining and self._busy():
            self._add_slots()

    def _busy(self) -> threading.Thread | None:
        return next((slot for slot in self._slots if slot.is_alive()), None)

    def _tell(self) -> None:
        seat = self._seat
        self._seat.listener.changed(
            snapshot(
                seat.context.batch_id, seat.claims.look(), self._wanted, utc_now(), self._paused
            )
        )

    def _work(self, number: int) -> None:
        try:
            slot = f"{self._seat.context.slots}-{number}"
            while self._may_go_on(number):
                claim = self._seat.claims.take(slot)
                if claim is None:
                    return
                self._one(claim)
        except BaseException as error:  # noqa: BLE001  a thread's own end: told by the main thread
            self._fatal = self._fatal or error
            self._is_draining = True

    def _may_go_on(self, number: int) -> bool:
        """Wait while paused or short of room; False = this slot is over."""
        told = None
        while not (self._stop.is_set() or self._is_draining):
            if number >= self._wanted:
                return False
            reason = self._paused or self._admission.refusal()
            if reason is None:
                return True
            if reason != told and number == 0:
                told = reason
                self._seat.listener.said(f"paused: {reason}")
            self._stop.wait(TICK_SECONDS)
        return False

    def _one(self, claim: Claim) -> None:
        seat, recipe = self._seat, self._seat.recipes[claim.entry]
        try:
            record = one_run.execute(seat.context, recipe, claim, self._preflights)
        except LabError as error:
            self._give_back(claim, str(error))
            raise
        except Exception as error:  # noqa: BLE001  a bug of ours costs this run, not the batch
            if isinstance(error, OSError) and error.errno in REMEDIES:
                self._give_back(claim, str(error))
                raise CannotWrite(seat.context.paths.runs, error) from error
            told = traceback.format_exc()
            seat.listener.said(f"internal error in {claim.run_id}: {told.splitlines()[-1]}")
            record = one_run.broken(seat.context, recipe, claim, told)
        seat.claims.finish(claim, record)
        seat.listener.said(self._line(claim, record))

    def _give_back(self, claim: Claim, reason: str) -> None:
        """Undo a claim that the machine did not let us carry out.

        What an attempt has cost already stays staged: `lab resume` publishes it as interrupted.
        """
        staged = self._seat.context.paths.staged(claim.run_id)
        if staged.attempts.exists():
            return
        with contextlib.suppress(OSError, LabError):
            kept.remove(staged.folder)
            self._seat.claims.release(claim, reason[:500])

    def _line(self, claim: Claim, record: RunRecord) -> str:
        state = self._seat.claims.state
        reason = record.identity.exit_reason or ""
        seconds = record.timings.wall_seconds or 0.0
        attempts = record.identity.attempts or 0
        tries = f", {attempts} attempts" if attempts > 1 else ""
        tries += _warnings(len(record.warnings))
        told = [_first_line(record.evidence)] if reason != "ok" else [*record.warnings[:1]]
        place = f"[{state.finished}/{state.total}]"
        return ": ".join((f"{place} {reason:8} {claim.run_id} ({seconds:.1f} s{tries})", *told))

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM end the running attempts; a second Ctrl-C gives up waiting."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

        def leave(number: int, _: object) -> None:
            self._stop.set()
            self._seat.context.executor.drain()
            self._seat.listener.said("interrupted: ending what runs (again to give up waiting)")
            signal.signal(signal.SIGINT, signal.default_int_handler)

        for number in before:
            signal.signal(number, leave)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _warnings(number: int) -> str:
    return f", {number} warning{'s' if number > 1 else ''}" if number else ""


def _first_line(text: str | None) -> str:
    return (text or "no evidence").strip().split("\n", 1)[0][:120]
