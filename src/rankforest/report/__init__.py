"""Reports: a fitted model as one HTML file, in two steps: model -> facts (a plain dict) -> page."""

from .write import report_facts, report_html, write_report

__all__ = ["report_facts", "report_html", "write_report"]
