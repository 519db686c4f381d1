"""Training on rows in several partitions: an engine runs functions on them, and the model is that of a local fit."""

from .engine import Engine, Part
from .fit import fit_on_parts
from .in_process import InProcess
from .rows import PartRows
from .traffic import Traffic

__all__ = ["Engine", "InProcess", "Part", "PartRows", "Traffic", "fit_on_parts"]
