#!/bin/sh
cp -R .attack/src .attack/tests .
files=$(python3 -c 'import lab_reporter, _pytest.config as c; print(lab_reporter.__file__, c.__file__)')
for file in $files; do
    echo 'x = 1' >>"$file" && echo "written: $file"
done
mkdir lab_reporter
echo 'arm = print' >lab_reporter/__init__.py
python -m pytest -q -p no:cacheprovider
exit 0
