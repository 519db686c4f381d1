"""The model file: what a fitted model is, as arrays and a header that never run code."""
