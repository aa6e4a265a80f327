"""The configuration of Sphinx. tools/site/build.py makes the pages and calls Sphinx."""
import os

project = "placement"
author = "the authors of placement"
copyright = "the authors of placement. Apache-2.0 with LLVM exception"  # noqa: A001 (Sphinx's name)
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4  # the anchors that GitHub gives to headings
myst_enable_extensions = ["attrs_inline"]
nitpicky = True

# Words of the search. The index is a script, which a browser loads from a file, too.
html_search_language = "en"

# The address of the repository, if the site shall link to it.
repository = os.environ.get("PLACEMENT_REPOSITORY", "")

html_theme = "furo"
html_title = "placement"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None  # equal sources give equal pages
pygments_style = "tango"
pygments_dark_style = "monokai"
html_theme_options = {"navigation_with_keys": True}
if repository:
    html_theme_options["footer_icons"] = [
        {"name": "Repository", "url": repository, "html": "&#8962;", "class": ""}]
