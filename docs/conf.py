"""The documentation as a site: `make docs` builds it with Sphinx into site/, without a network.

The sources are the folders of the repository, so that its own documents (CONTRIBUTING.md,
config/README.md, ...) are pages and links between documents work on the site as in a clone.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

from xnbflow import __version__

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))  # for components, library_reference, pictures, ...
#: `make docs` runs the study `example` first; the site shows its report.
EXAMPLE = ROOT / ".test/results"


def repository() -> str | None:
    """Return owner and name of the repository at GitHub, or None without such an origin."""
    git = ["git", "-C", str(ROOT), "remote", "get-url", "origin"]
    origin = subprocess.run(git, check=False, capture_output=True, text=True).stdout  # noqa: S603
    found = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(\.git)?$", origin.strip())
    return os.environ.get("GITHUB_REPOSITORY") or (found[1] if found else None)


REPOSITORY = repository()

project = "xnbflow"
author = "xnbflow developers"
project_copyright = author
version = release = __version__
default_role = "obj"
smartquotes = False
root_doc = "docs/index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
include_patterns = [
    "docs/**",
    *("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md"),
    *("benchmarks/README.md", "config/README.md", "results/README.md", "workflow/README.md"),
]
exclude_patterns = [".*", "site", "tests", "resources", "docs/examples", "docs/templates", "**/.*"]
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
templates_path = [str(ROOT / "docs/templates")]
myst_enable_extensions = ["dollarmath", "deflist", "attrs_inline"]
myst_heading_anchors = 3
autodoc_typehints = "none"
numpydoc_show_class_members = False
copybutton_prompt_text = "$ "
sphinx_gallery_conf = {
    "examples_dirs": "docs/examples",
    "gallery_dirs": "docs/gallery",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "min_reported_time": 60,
    "remove_config_comments": True,
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
}

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "xnbflow"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["start"]
html_copy_source = False
# A page that is opened as a file may not fetch other pages, which the summaries are made of.
html_show_search_summary = False
html_context = {"default_mode": "auto"}
html_sidebars = {"docs/gallery/**": []}
html_theme_options: dict[str, Any] = {
    "logo": {"text": "xnbflow"},
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc", "edit-this-page"] if REPOSITORY else ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
if REPOSITORY:
    owner, name = REPOSITORY.split("/")
    html_context |= {"github_user": owner, "github_repo": name, "github_version": "main"}
    html_context["doc_path"] = ""
    html_theme_options |= {"github_url": f"https://github.com/{REPOSITORY}"}
    html_theme_options |= {"use_edit_page_button": True}


#: The first page of the site is the README, and its menu has the groups of pages.
START = """```{include} ../README.md
:relative-docs: ./
:relative-images:
```

```{toctree}
:hidden:
tutorials/index
Methods <methods/index>
gallery/index
reference/index
project/index
```
"""
#: A link to the program of a figure, alone in its line. The site has the figure itself.
FIGURE = re.compile(r"^Figure: \[(.+)\]\(\.\./examples/(plot_\w+)\.py\)$", re.MULTILINE)
#: The first link to a page in an item of a list, or in a row of a table, of the index of a folder.
LINK = re.compile(r"^[*|] .*?\]\(([^)#]+)\.md\)", re.MULTILINE)
#: The report of the study `example`, as HTML: it is no source of the site.
EXAMPLE_LINK = '<a href="../../example/results/studies/example/report.html">an example report</a>'
#: Pages of the reference that the site makes.
MADE = {"docs/reference/index": ["names", "cli", "tables"]}


def with_figure(link: re.Match[str]) -> str:
    """Return the directive of a figure in place of the link to its program."""
    caption, name = link.groups()
    options = f":alt: {caption}\n:width: 640px\n:target: ../gallery/{name}.html\n"
    image = f"../gallery/images/sphx_glr_{name}_001_2_00x.png"
    return f"```{{figure}} {image}\n{options}\n{caption}\n```"


def as_site(app: Sphinx, page: str, source: list[str]) -> None:
    """Turn what GitHub shows into what the site shows: figures, menus, the repository's owner."""
    text = FIGURE.sub(with_figure, source[0])
    if page == "docs/index":
        text = START
    elif page.endswith("/index") and page != "docs/gallery/index":
        pages = "\n".join(dict.fromkeys([*LINK.findall(text), *MADE.get(page, [])]))
        text += f"\n```{{toctree}}\n:hidden:\n{pages}\n```\n"
    if page.endswith("read-your-report"):
        text = text.replace("an example report", EXAMPLE_LINK)
        if app.tags.has("pictures"):
            text = text.replace("images/report.png", "images/read-your-report.png")
    if REPOSITORY:
        text = text.replace("OWNER/xnbflow", REPOSITORY)
    source[0] = text


def visit_formula(translator: Any, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers set without a script."""
    block = isinstance(node, nodes.math_block)
    made = tex2mathml(node.astext(), as_block=block)
    translator.body.append(f'<div class="formula">{made}</div>' if block else made)
    raise nodes.SkipNode


def write_command_line(app: Sphinx) -> None:
    """Write the reference of the command `xnbflow` from the command itself."""
    import typer
    from typer.cli import get_docs_for_click

    from xnbflow.running.cli.app import app as commands

    group = typer.main.get_command(commands)
    for command in group.commands.values():
        command.short_help = (command.help or "").partition("\n\n")[0].replace("\n", " ")
    text = get_docs_for_click(obj=group, ctx=typer.Context(group), name="xnbflow")
    page = Path(app.srcdir, "docs/reference/cli.md")
    page.write_text(text.replace("# `xnbflow`", "# Command line", 1), encoding="utf-8")


def write_table_reference(app: Sphinx) -> None:
    """Write the page with every column of every table, from the files `tables.toml`."""
    from table_reference import table_reference

    page = Path(app.srcdir, "docs/reference/tables.md")
    page.write_text(table_reference(), encoding="utf-8")


def write_library_reference(app: Sphinx, config: Any) -> None:
    """Write the page with every public name, before autosummary looks for pages to make."""
    from library_reference import library_reference

    del config
    page = Path(app.srcdir, "docs/reference/names.md")
    page.write_text(library_reference(), encoding="utf-8")


def write_finding_tables(app: Sphinx, page: str, source: list[str]) -> None:
    """Write the tables of findings into the page on verdicts, from `xnbflow.core.findings`."""
    from xnbflow.report.findings import notice_table, verdict_table

    del app
    if page != "docs/methods/verdicts":
        return
    tables = {"findings that limit a verdict": verdict_table(), "notices": notice_table()}
    for name, lines in tables.items():
        source[0] = source[0].replace(f"<!-- table: {name} -->", "\n".join(lines))


def draw_report(app: Sphinx) -> None:
    """Draw the picture of "How to read your report" where Chromium is installed."""
    from pictures import MARKS, draw, has_browser

    if has_browser():
        report = EXAMPLE / "studies/example/report.html"
        draw(report, Path(app.srcdir, "docs/images/read-your-report.png"), MARKS)
        app.tags.add("pictures")


def write_design(app: Sphinx, error: Exception | None) -> None:
    """Write the page of all components of a report into the site."""
    if error is None:
        from components import write_components

        write_components(Path(app.outdir, "components"))


def copy_example(app: Sphinx, error: Exception | None) -> None:
    """Copy the report of the study `example`, and the tables that it links to, into the site."""
    if error is None:
        for folder in ("studies/example", "example"):
            target = Path(app.outdir, "example/results", folder)
            shutil.copytree(EXAMPLE / folder, target, dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    """Register what this site adds to Sphinx."""
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_formula, None))
    app.connect("config-inited", write_library_reference)
    app.connect("builder-inited", write_command_line)
    app.connect("builder-inited", write_table_reference)
    app.connect("builder-inited", draw_report)
    app.connect("source-read", write_finding_tables)
    app.connect("source-read", as_site)
    app.connect("build-finished", copy_example)
    app.connect("build-finished", write_design)
