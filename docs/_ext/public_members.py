"""The reference leaves out what models inherit from scikit-learn, and what only other packages ask them for."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

INHERITED = re.compile(r"set_\w+_request|get_metadata_routing|get_params|set_params")
# what files, exports, reports and the command line ask a model for: `estimators/fitted_model.py` describes it
PROTOCOL = re.compile(
    "best_share|figures|from_parts|held_out_scores|history|importance|kept_rows|one_card|one_tree|place|program|restore|"
    "name_target|of_former|one_ordinal_tree|positive_probability|positive_words|probability_of|score_coded|score_parts|summary|text|to_parts|voters|words_of_pair|words_of_row"
)


def skip(app: Sphinx, what: str, name: str, member: object, skipped: bool, options: object) -> bool | None:
    module = getattr(getattr(member, "fget", member), "__module__", "") or ""
    if INHERITED.fullmatch(name) or not module.startswith("rankforest"):
        return True
    if PROTOCOL.fullmatch(name) and (".estimators." in module or module == "rankforest.data.options"):
        return True
    if name == "to_local" and ".estimators." in module:  # it is there for models of a cluster
        return True
    return None


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
