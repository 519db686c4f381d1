"""What cannot be exported is said in one sentence."""

__all__ = ["ExportError"]


class ExportError(ValueError):
    """A model, or a part of it, that no program or no target can express."""
