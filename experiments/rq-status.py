#!/usr/bin/env python3
from lab.cli.entry import run
run("status")
