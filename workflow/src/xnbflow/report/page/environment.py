"""What every page has: the templates, its own program, and the policy on scripts.

This imports neither pandas nor matplotlib, because the index is written at the end of every run.
"""

import math
from importlib.resources import files

import jinja2

from xnbflow.report.page.bokeh_js import Library, digest_of
from xnbflow.report.page.glossary import with_terms
from xnbflow.report.page.unbroken import unbroken

ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("xnbflow.report.page"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
ENVIRONMENT.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}

ENVIRONMENT.filters["terms"] = with_terms
ENVIRONMENT.filters["unbroken"] = unbroken
ENVIRONMENT.tests["known"] = lambda number: not math.isnan(number)

_TEMPLATES = files("xnbflow.report.page").joinpath("templates")
_PROGRAMS = (
    "page.js",
    "charts.js",
    "gene_values.js",
    "gene_view.js",
    "gene_plane.js",
    "gene_table.js",
    "genes.js",
)
#: The page's own program: tables and menus, charts, genes.
SCRIPT = "".join(_TEMPLATES.joinpath(name).read_text(encoding="utf-8") for name in _PROGRAMS)


def policy_of(library: Library | None = None) -> str:
    """Return the policy of a page: it runs only these scripts and loads nothing from elsewhere."""
    digests = [digest_of(SCRIPT), *([library.digest] if library else [])]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; img-src data: blob:; "
        "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
