"""Boosting for ranking: rounds of small trees, or of thresholds, that minimise a pairwise loss."""
