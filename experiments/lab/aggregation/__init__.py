"""Aggregation: from published runs to runs.csv, summary.json and summary.md."""
