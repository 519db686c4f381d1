"""The papers' experiments, run again: ``python -m rankforest.reproduce``."""
