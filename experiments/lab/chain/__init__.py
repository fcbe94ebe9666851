"""The phase chain: from suite events to labels, cycles, metrics and the report."""
