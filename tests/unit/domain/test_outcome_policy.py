"""The table of exit reasons, against one that was written from the rules by hand."""

import pytest
from lab.domain.outcome import POLICY, ExitReason, Policy, is_replicate, policy_of

# exit reason: further attempts, with backoff, analysed, stops the rest of its harness and model
RULES = """
ok                     0 no  yes no
timeout                0 no  yes no
timeout-killed         0 no  yes no
stalled                1 no  yes no
startup-hang           3 no  no  no
no-op-run              2 no  yes no
rate-limited           5 yes yes no
transient-api-error    5 yes yes no
quota-exhausted        0 no  yes no
provider-refusal       2 no  yes no
context-exceeded       0 no  yes no
output-exceeded        0 no  yes no
pi-retries-exhausted   0 no  yes no
budget-exhausted       0 no  yes no
setup-error            0 no  no  yes
oom-killed             1 no  yes no
disk-full              1 no  yes no
docker-lost            1 no  yes no
host-lost              1 no  yes no
tampered               0 no  yes no
interrupted            0 no  no  no
lab-error              0 no  no  no
"""
ROWS = [line.split() for line in RULES.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_an_exit_reason_means_what_the_rules_say(row: list[str]) -> None:
    name, retries, with_backoff, is_analysed, stops_lane = row
    assert policy_of(name) == Policy(
        retries=int(retries),
        is_analysed=is_analysed == "yes",
        is_replicate=name == "ok",
        with_backoff=with_backoff == "yes",
        stops_lane=stops_lane == "yes",
    )


def test_every_exit_reason_has_a_row() -> None:
    assert {row[0] for row in ROWS} == {str(reason) for reason in ExitReason}
    assert set(POLICY) == set(ExitReason)


@pytest.mark.parametrize("unknown", ["error-1", "error-137", "OK", "ok ", "success", ""])
def test_an_exit_reason_that_the_table_lacks_is_measured_and_never_a_replicate(
    unknown: str,
) -> None:
    assert policy_of(unknown) == Policy(0, is_analysed=True, is_replicate=False)


def test_a_run_without_an_exit_reason_is_no_replicate() -> None:
    assert not is_replicate(None)
