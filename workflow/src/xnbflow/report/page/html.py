"""HTML from templates: every value is escaped, a missing one is an error."""

import jinja2

__all__ = ["ENVIRONMENT"]

ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("xnbflow.report.page"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
ENVIRONMENT.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
