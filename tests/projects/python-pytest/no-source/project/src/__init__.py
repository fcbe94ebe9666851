"""Only a docstring."""

# and a comment
