"""Processes of this machine: start one apart from ours, watch it, end all of it."""
