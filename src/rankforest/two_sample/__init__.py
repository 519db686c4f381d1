"""Two-sample test: a ranking is trained to separate two samples and tested on held-out rows."""

from .rank_test import TwoSampleTest, two_sample_test

__all__ = ["TwoSampleTest", "two_sample_test"]
