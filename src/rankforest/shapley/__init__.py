"""Exact Shapley values of a score: which features move a row up or down, compared with other rows."""
