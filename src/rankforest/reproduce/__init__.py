"""The papers' experiments, run again: ``rankforest reproduce``, or ``python -m rankforest.reproduce``."""
