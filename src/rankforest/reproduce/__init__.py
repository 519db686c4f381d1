"""Reproduces the experiments of the papers: ``rankforest reproduce``, or ``python -m rankforest.reproduce``."""
