"""Stacks: one module per language toolchain, in one table."""
