"""From cells to a tree of the right size."""
