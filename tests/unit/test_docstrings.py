"""What the documentation and the types of the library say."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

from xnbflow.evaluation.methods import METHODS

USER_CODE = """
from typing import assert_type

import numpy as np

from xnbflow import CICA
from xnbflow.density.families import FAMILIES, Distribution, Gaussian
from xnbflow.models import TrainedModel, read_model
from xnbflow.naive_bayes import XNB, HybridNB
from xnbflow.data.dataset import DataSet

X, y = np.zeros((4, 2)), np.array(["a", "a", "b", "b"])
assert_type(XNB(bandwidth="silverman", n_grid=50).predict(X), np.ndarray)
assert_type(CICA().fit(X, y), CICA)
assert_type(HybridNB([("wind", Gaussian(), [0])]), HybridNB)
assert_type(read_model("model.skops"), TrainedModel)
assert_type(DataSet("toy", np.eye(2), ["g1", "g2"], ["s1", "s2"], y[1:3]).labels, np.ndarray)
assert_type(FAMILIES["gaussian"], type[Distribution])
"""
#: What estimators take.
SAMPLES = """
import numpy as np
from scipy import sparse

from xnbflow.naive_bayes import ClassSpecificNB, ClassSpecificNBCV, GaussianNB


class Frame:  # as polars.DataFrame and anndata.AnnData declare it
    @property
    def shape(self) -> tuple[int, int]:
        return 1, 1


GaussianNB().fit([[0.0]], [0]).predict([[0.0]])
GaussianNB().fit(np.zeros((2, 1)), ["a", "b"], sample_weight=[1.0, 2.0])
ClassSpecificNB().fit(sparse.csr_array(np.zeros((2, 1))), np.zeros(2)).predict(Frame())
ClassSpecificNBCV().fit(Frame(), "cell_type").predict_proba(np.zeros((2, 1)))
"""
MISTAKES = """
from xnbflow.naive_bayes import XNB, GaussianNB, NoSuchNB
from xnbflow.preprocessing.mdlp import _cut

XNB(n_grid="fifty")
XNB(no_such_parameter=1)
_cut(1, 2)
GaussianNB().fit(object(), [0])
"""

PUBLIC_MODULES = ["data.cells", "data.dataset", "density.families", "diagnostics", "models"]
PUBLIC_MODULES += [
    "evaluation.paired_tests",
    "evaluation.rank_tests",
    "naive_bayes",
    "preprocessing",
]


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_every_public_name_stands_in_the_reference(module):
    shown = {path.rpartition(".")[2] for path in documented_names()}
    names = set(importlib.import_module(f"xnbflow.{module}").__all__)
    constants = {name for name in names if name.isupper()} - {"CICA", "XNB"}
    assert names - shown == constants


def sections(documented):
    """The sections of a numpydoc docstring: the names that each describes."""
    lines = inspect.cleandoc(documented.__doc__).splitlines()
    found, current = {}, []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and set(below) == {"-"}:
            found[line] = current = []
        elif line and not line.startswith(" ") and set(line) != {"-"}:
            names = line.partition(" : ")[0]
            current += [name.strip(" *\\") for name in names.split(",")]
    return found


def documented_names():
    """What the page names, and the registry, whose methods `make docs` puts into the page."""
    page = (Path(__file__).parents[2] / "docs/reference/api.md").read_text()
    assert page.count("of the registry. -->") == 2
    own = [method.estimator for method in METHODS.values()]
    return [*re.findall(r"^::: (\S+)$", page, re.MULTILINE), *own]


@pytest.mark.parametrize("path", documented_names())
def test_every_name_of_the_reference_has_its_sections(path):
    """Parameters where there are any, and what is returned, or what a class holds.

    Those of an estimator are exactly the ones it takes.
    """
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    written = sections(found)
    if not inspect.isclass(found):
        taken = set(inspect.signature(found).parameters)
        assert taken <= set(written.get("Parameters", ()))
        returns = inspect.signature(found).return_annotation
        yields = {"Returns", "Yields"} & written.keys()
        assert yields or returns in (None, "None")
    elif issubclass(found, BaseEstimator):
        assert set(written.get("Parameters", ())) == set(inspect.signature(found).parameters)
    elif not inspect.isabstract(found):
        fields = getattr(found, "_fields", None) or getattr(found, "__dataclass_fields__", ())
        named = {*written.get("Attributes", ()), *written.get("Parameters", ())}
        assert named
        assert set(fields) <= named


@pytest.mark.slow
def test_a_type_checker_accepts_correct_code_of_users_and_finds_mistakes(tmp_path):
    """As the library is installed; compiled kernels keep their types."""
    for name, code in {"user": USER_CODE, "samples": SAMPLES, "mistakes": MISTAKES}.items():
        (tmp_path / f"{name}.py").write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "."]
    run = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    assert not re.search(r"(user|samples)\.py", run.stdout)
    for mistake in ("NoSuchNB", "int", "no_such_parameter", 'n_classes", "bits', "object"):
        assert f'"{mistake}"' in run.stdout
