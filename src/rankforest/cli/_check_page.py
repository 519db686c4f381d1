"""What `check` found, as a page to print or to mail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from ..data.reading.findings import Finding, sentences

__all__ = ["check_page"]

_OPTION = re.compile(r"(?<!\S)(--[a-z]+(?:-[a-z]+)*)")
_OPEN = ("positive", "units", "duplicates", "thousands", "strange")  # a person decides, and no option is certain
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; overflow-wrap: anywhere; }}
h2 {{ font-size: 1.1rem; margin-top: 2rem; }}
li {{ margin: .4rem 0; overflow-wrap: anywhere; }}
pre {{ padding: .8rem; border: 1px solid #8888; border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; }}
code {{ font: inherit; white-space: nowrap; }}
td, th {{ padding: .1rem 1.5rem .1rem 0; text-align: left; }}
td + td, th + th {{ text-align: right; font-variant-numeric: tabular-nums; }}
@media print {{ body {{ margin: 0; max-width: none; font-size: 11pt; }} li, pre {{ break-inside: avoid; }} }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{summary}</p>
<table><tr><th>{target}</th><th>rows</th></tr>{labels}</table>
<h2>To decide</h2>
{decide}
<h2>Done by itself</h2>
{done}
<h2>{heading}</h2>
<pre>{command}</pre>
</body>
</html>
"""


def check_page(
    title: str,
    summary: str,
    target: str,
    labels: Sequence[tuple[str, str]],
    findings: Sequence[Finding],
    commands: Sequence[str],
) -> str:
    """The findings as an HTML page without anything from elsewhere.

    Parameters
    ----------
    title, summary : str
    target : str
        The label column.
    labels : sequence of (label, rows)
    findings : sequence of Finding
    commands : sequence of str
        The command that fits the file, or one for each label that may belong at the top.

    Examples
    --------
    >>> page = check_page("a.csv", "", "y", [("no", "3")], [Finding("empty", "<b>")], ["rankforest fit"])
    >>> page.count("&lt;b&gt;"), "<b>" in page
    (1, False)
    """
    rows = "".join(f"<tr><td>{escape(label)}</td><td>{escape(n)}</td></tr>" for label, n in labels)
    needs = [one for one in findings if one.option or one.kind in _OPEN]
    return _PAGE.format(
        title=escape(title),
        summary=escape(summary),
        target=escape(target),
        labels=rows,
        decide=_items(needs),
        done=_items([one for one in findings if one not in needs]),
        heading="One of these commands" if len(commands) > 1 else "The command",
        command=_unbroken(escape("\n".join(commands))),
    )


def _items(findings: Sequence[Finding]) -> str:
    told = [f"<li>{_unbroken(escape(said[0].upper() + said[1:]))}</li>" for said in sentences(findings)]
    return f"<ul>{''.join(told)}</ul>" if told else "<p>Nothing.</p>"


def _unbroken(text: str) -> str:
    """Options in one piece: a line would break after the hyphens."""
    return _OPTION.sub(r"<code>\1</code>", text)
