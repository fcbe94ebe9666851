#!/bin/sh
# Inside the build: put the reporter into the interpreter, by three ways in.
# 1 sitecustomize in the standard library: every environment made from this interpreter has it.
# 2 a .pth file: a sitecustomize of the agent's own on PYTHONPATH does not hide it.
# 3 a line at the end of pytest's own module: holds where `python -S` skips both.
set -eu
library=$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
packages=$(python3 -c 'import _pytest, pathlib; print(pathlib.Path(_pytest.__file__).parents[1])')

dpkg-divert --quiet --rename --add "$library/sitecustomize.py"
cp /opt/lab/reporter/sitecustomize.py "$library/sitecustomize.py"
cp -R /opt/lab/reporter/lab_reporter "$library/lab_reporter"
cp /opt/lab/reporter/lab_reporter.pth "$packages/lab_reporter.pth"
cat >>"$packages/_pytest/config/__init__.py" <<'END'

import lab_reporter as _lab_reporter
_lab_reporter.arm("plugin")
END

python3 -m compileall -q "$library" "$packages" /opt/lab/reporter >/dev/null || true
# One run now saves every later one the rewriting of pytest's own assertions.
mkdir /tmp/warm
printf 'def test_a():\n    assert 1 == 1\n' >/tmp/warm/test_warm.py
cd /tmp/warm
LAB_REPORTER_OFF=1 python3 -m pytest -q -p no:cacheprovider . >/dev/null
rm -rf /tmp/warm
