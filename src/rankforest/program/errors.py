"""The error of models that cannot be exported."""

__all__ = ["ExportError"]


class ExportError(ValueError):
    """A model, or a part of it, that no program or no target can express."""
