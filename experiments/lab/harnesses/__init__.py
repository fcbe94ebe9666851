"""Harnesses: one module per agent command line, in one table."""
