"""Settings of the site: `make docs` builds it into build/docs."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("OMP_NUM_THREADS", "2")

import rankforest  # noqa: E402

(HERE / "_live").mkdir(exist_ok=True)

project = "rankforest"
author = "the rankforest developers"
copyright = "the rankforest developers; BSD 3-clause"
version = release = rankforest.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    # in _ext
    "site_pages",
    "live_reports",
    "public_members",
    "native_math",
]
exclude_patterns = [
    "_ext",
    "_live",
    "_llms_head.md",
    "_templates",
    "auto_examples/**/*.ipynb",
    "auto_examples/**/*.py",
    "figures",
    "reference/backreferences",
]
suppress_warnings = ["config.cache"]  # sphinx-gallery's settings hold functions
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"sklearn\..*")]  # their pages cannot be looked up without a network

# pages
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# reference
toc_object_entries_show_parents = "hide"
default_role = "literal"
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"  # the docstrings have the types, in words
autodoc_default_options = {"member-order": "bysource"}
numpydoc_show_class_members = False  # the template of a class lists them
numpydoc_class_members_toctree = False
templates_path = ["_templates"]

# gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"__init__\.py",
    "subsection_order": [f"../examples/{name}" for name in ("read", "order", "why", "decide", "sure", "later")],
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "reference/backreferences",
    "doc_module": ("rankforest",),
    "reference_url": {"rankforest": None},
    "thumbnail_size": (400, 280),
    "remove_config_comments": True,
    "show_memory": False,
    "download_all_examples": False,
    "plot_gallery": True,
    "min_reported_time": 60,
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),  # what is not printed are pictures: their addresses say nothing
    "image_scrapers": ("matplotlib",),
    "default_thumb_file": str(HERE / "images" / "tree.png"),
    "write_computation_times": False,
}

# looks
html_math_renderer = "native"
html_theme = "pydata_sphinx_theme"
html_title = "rankforest"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_live"]  # llms.txt and reports, made by the build
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_copy_source = True  # llms.txt leads to them
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "header_links_before_dropdown": 9,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc", "sg_download_links"],
}
html_sidebars = {"index": [], "which-model": [], "get-started": [], "coming-from/*": []}  # these need the width
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
