"""Scorecards: each feature in a few steps with whole points, and the total ranks the rows."""
