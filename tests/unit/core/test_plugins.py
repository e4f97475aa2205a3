"""Entry points of other packages are checked before their entries are used."""

from importlib.metadata import EntryPoint

import pytest
from toys import refused

from xnbflow.core import plugins
from xnbflow.core.entries import Method

METHODS = {"nb": Method(name="nb", estimator="a.B", title="", source="")}


@pytest.fixture
def with_entry(tmp_path, monkeypatch):
    """Return the methods of an installation with one entry point, whose entry has a name."""

    def methods(name, entry_name, kind="Method"):
        code = f"from xnbflow.core.entries import {kind}\n"
        arguments = {"Method": "estimator='x.Y', title='', source=''", "Source": "module='x'"}
        code += f"ENTRY = {kind}(name={entry_name!r}, {arguments[kind]})\n"
        module = f"toy_{name}_{entry_name}_{kind}".replace(" ", "_").lower()
        (tmp_path / f"{module}.py").write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        point = EntryPoint(name, f"{module}:ENTRY", "xnbflow.methods")
        monkeypatch.setattr(plugins, "entry_points", lambda **_: [point])
        return plugins.with_plugins("xnbflow.methods", Method, METHODS)

    return methods


def test_an_entry_is_added_by_its_name(with_entry):
    assert with_entry("toy", "toy")["toy"].estimator == "x.Y"


def test_an_entry_of_another_name_is_refused(with_entry):
    with refused("the entry calls itself 'other'"):
        with_entry("toy", "other")


def test_a_name_with_capitals_or_spaces_is_refused(with_entry):
    with refused("give both the same name"):
        with_entry("Toy", "Toy")


def test_a_name_of_the_core_is_taken(with_entry):
    with refused("the name is taken"):
        with_entry("nb", "nb")


def test_an_entry_of_another_kind_is_refused(with_entry):
    with refused("is not an xnbflow.core.entries.Method"):
        with_entry("toy", "toy", kind="Source")
