"""What all fits share: progress bars, calibration of scores to probabilities, permutation importance."""
