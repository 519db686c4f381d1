"""Many trees: their samples, their agreement, and what they say of rows that they have not seen."""
