"""Harnesses: one module per agent command line, in one table."""

from lab.harnesses import calibration, command, fake
from lab.harnesses.protocol import Harness

HARNESSES: dict[str, Harness] = {
    calibration.ID: calibration,
    command.ID: command,
    fake.ID: fake,
}
