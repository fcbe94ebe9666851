"""The toolchains, one module each; a new stack is one row here."""

from lab.stacks import none, python_pytest
from lab.stacks.protocol import Stack

STACKS: dict[str, Stack] = {module.ID: module for module in (python_pytest, none)}
