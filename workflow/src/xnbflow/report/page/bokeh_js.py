"""The drawing library of the page, BokehJS, as the installed package ``bokeh`` ships it."""

import base64
import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from xnbflow.core.errors import InputError

#: Files of the package, in the order in which a browser runs them: the library, and its functions
#: that make plots.
_FILES = ("bokeh.min.js", "bokeh-api.min.js")


@dataclass(frozen=True)
class Library:
    """A program for a page: ``packed`` is its text, gzip in base 64, ``digest`` its SHA-256.

    A browser unpacks the text and runs it, because the policy of the page names the digest: a
    packed library has about a third of the bytes.
    """

    packed: str
    digest: str


@cache
def drawing_library() -> Library:
    """Return BokehJS; it is an `InputError` if the package is not installed.

    The package is found and not imported, because only its files are needed.
    """
    spec = find_spec("bokeh")
    if spec is None or spec.origin is None:
        msg = "the package bokeh is not installed; install xnbflow with its extra `workflow`"
        raise InputError(msg)
    folder = Path(spec.origin).parent / "server/static/js"
    program = "\n".join((folder / name).read_text(encoding="utf-8") for name in _FILES)
    packed = gzip.compress(program.encode(), 9, mtime=0)
    return Library(base64.b64encode(packed).decode(), digest_of(program))


def digest_of(program: str) -> str:
    """Return the SHA-256 of a script as a content security policy names it."""
    return base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
