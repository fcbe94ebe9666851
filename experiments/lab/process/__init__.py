"""Processes: how the lab starts, watches and ends what it did not write."""
