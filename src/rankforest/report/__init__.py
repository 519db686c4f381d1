"""A fitted model as one HTML file that can be looked at: model -> facts (a plain dict) -> page."""

from .write import report_facts, report_html, write_report

__all__ = ["report_facts", "report_html", "write_report"]
