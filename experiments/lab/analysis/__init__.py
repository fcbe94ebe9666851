"""Analysis: measuring a run's final workspace from the outside."""
