"""Ranking trees and forests: put the positives at the top of the list, and show why."""

__version__ = "0.1.0.dev0"
