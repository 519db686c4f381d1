"""
Do two samples differ?
======================

A ranking tree learns to separate the two samples on one half of the rows. If it ranks the other half better than
chance, the samples differ. Here a fifth of the second sample has moved.
"""

import matplotlib.pyplot as plt
import numpy as np

from rankforest import two_sample_test

rng = np.random.default_rng(0)
one, other = rng.normal(size=(300, 3)), rng.normal(size=(300, 3))
other[:60] += (1.8, 1.8, 0)

result = two_sample_test(one, other, random_state=0)
focused = two_sample_test(one, other, phi="local@0.2", random_state=0)
print(result)
print(focused)

fig, ax = plt.subplots(figsize=(5.4, 4.6), layout="constrained")
ax.scatter(*one[:, :2].T, s=9, color="#4393c3", label="first sample")
ax.scatter(*other[:, :2].T, s=9, color="#b2182b", label="second sample")
ax.set(
    xlabel="x0",
    ylabel="x1",
    title=f"p = {result.p_value:.2g}; with weight on the top {focused.p_value:.2g}",
)
ax.legend(frameon=False)
