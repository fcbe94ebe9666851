"""Statistics of cells: means, rates and their intervals."""
