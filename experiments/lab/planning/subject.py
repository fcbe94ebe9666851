"""A question under lint: its cells, and the line of everything that it declares."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.domain.cell import Cell
from lab.domain.question import ResearchQuestion, Setting
from lab.planning.remark import Remark, Severity
from lab.store.questions import QuestionSource


@dataclass(frozen=True, slots=True)
class Subject:
    """`cells` is empty where the question cannot be expanded."""

    source: QuestionSource
    cells: tuple[Cell, ...]

    @property
    def question(self) -> ResearchQuestion:
        return self.source.question

    def error(self, place: str, rule: str, message: str) -> Remark:
        line = self.source.line(place)
        return Remark(Severity.ERROR, self.source.file, line, rule, message)

    def warning(self, place: str, rule: str, message: str) -> Remark:
        line = self.source.line(place)
        return Remark(Severity.WARNING, self.source.file, line, rule, message)

    def settings(self) -> Iterator[tuple[str, Setting]]:
        """Yield every declared setting with its place, factors first."""
        for factor in self.question.factors:
            is_paired = len(factor.axes) > 1
            for index, level in enumerate(factor.levels):
                for setting in level:
                    end = f"/{setting.axis}" if is_paired else ""
                    yield f"factors/{factor.name}/{index}{end}", setting
        for setting in self.question.controls:
            yield f"controls/{setting.axis}", setting

    def place_of(self, axis: str, value: str | None = None) -> str:
        """Return the place that first sets an axis (to this value)."""
        for place, setting in self.settings():
            if setting.axis == axis and (value is None or value in setting.values):
                return place
        return "controls"
