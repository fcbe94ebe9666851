"""Planning: lint questions, start new ones, plan the runs that are missing."""
