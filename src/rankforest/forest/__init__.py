"""Forests of trees: sampling of rows, growing, aggregation, out-of-bag scores."""
