"""What agents used and how they ended, as their own records tell."""
