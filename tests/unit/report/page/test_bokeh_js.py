"""The drawing library of a page: packed, named by its digest, and only where a chart needs it."""

import base64
import gzip
import hashlib
import re

import numpy as np
import pytest

from xnbflow.core.errors import InputError
from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.page import bokeh_js
from xnbflow.report.page.blocks import Figure, Prose, Section
from xnbflow.report.page.page import write_page


def page_of(folder, *blocks):
    write_page(
        folder / "p.html",
        "t",
        lead="",
        sections=[Section("one", "One", "", list(blocks))],
    )
    return (folder / "p.html").read_text()


def test_a_page_packs_the_library_whose_digest_its_policy_names(tmp_path):
    lines = [NamedLine("a", np.array([1.0, 2.0]), np.array([0.5, 0.6]))]
    arguments = {"lines": lines, "xlabel": "x", "ylabel": "y"}
    html = page_of(tmp_path, Figure("a", draw_lines, arguments=arguments, caption="", alt=""))
    (packed,) = re.findall(r'id="library">(.*?)</script>', html, re.DOTALL)
    program = gzip.decompress(base64.b64decode(packed))
    digest = base64.b64encode(hashlib.sha256(program).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', html)
    assert f"&#39;sha256-{digest}&#39;" in policy
    assert policy.count("sha256-") == 2  # the page's own program is the other
    assert "unsafe-eval" not in policy
    assert len(packed) < 600_000


def test_a_page_without_charts_has_no_library(tmp_path):
    html = page_of(tmp_path, Prose("text"))
    assert 'id="library"' not in html
    assert html.count("sha256-") == 1


def test_without_the_package_the_error_names_the_extra(monkeypatch):
    bokeh_js.drawing_library.cache_clear()
    monkeypatch.setattr(bokeh_js, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="bokeh is not installed; install xnbflow with its extra"):
        bokeh_js.drawing_library()
    bokeh_js.drawing_library.cache_clear()
