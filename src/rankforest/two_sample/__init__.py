"""Do two samples follow the same law: a learned ranking tells them apart on rows it has not seen, or it does not."""

from .rank_test import TwoSampleTest, two_sample_test

__all__ = ["TwoSampleTest", "two_sample_test"]
