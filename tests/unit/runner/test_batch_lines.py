"""What a batch says of each run."""

from pathlib import Path

from builders.batches import Listener, lab_root, plan_of, records, run_plan


def test_a_warning_stands_in_the_line_of_its_run(tmp_path: Path) -> None:
    paths, listener = lab_root(tmp_path), Listener()
    run_plan(paths, plan_of(paths, ["fake-lingering-child"]), listener=listener)
    (run,) = records(paths)
    (line,) = (line for line in listener.lines if run.identity.run_id in line)
    assert line.startswith("[1/1] ok ")
    assert line.endswith(f", 1 warning): {run.warnings[0]}")
