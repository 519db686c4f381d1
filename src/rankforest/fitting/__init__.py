"""What fits have in common: progress, probabilities from scores, and what shuffling a feature costs."""
