"""What a type checker makes of the library, and of code that uses it."""

import subprocess
import sys

import pytest

import xnbflow
from xnbflow import naive_bayes, preprocessing

USER_CODE = """
from typing import assert_type

import numpy as np

from xnbflow import CICA, ClassSpecificNB
from xnbflow.diagnostics import shapiro_wilk
from xnbflow.density.families import FAMILIES, Distribution, Gaussian
from xnbflow.models import TrainedModel, read_model
from xnbflow.naive_bayes import XNB, ClassSpecificNBCV, HybridNB, KernelNBRegressor
from xnbflow.preprocessing import Log2
from xnbflow.data.dataset import DataSet
from xnbflow.data.sources.acquisition import acquire
from xnbflow.data.sources.sheet import SheetRow

X, y = np.zeros((4, 2)), np.array(["a", "a", "b", "b"])
model = XNB(bandwidth="silverman", n_grid=50)
assert_type(model, XNB)
assert_type(model.predict(X), np.ndarray)
assert_type(CICA().fit(X, y), CICA)
assert_type(ClassSpecificNB(), ClassSpecificNB)
assert_type(ClassSpecificNBCV().predict_proba(X), np.ndarray)
assert_type(KernelNBRegressor(width="cv").fit(X, np.arange(4.0)), KernelNBRegressor)
assert_type(HybridNB([("wind", Gaussian(), [0])]), HybridNB)
assert_type(read_model("model.skops"), TrainedModel)
assert_type(acquire(SheetRow("wine", "bundled", "wine")), DataSet)
assert_type(DataSet("toy", np.eye(2), ["g1", "g2"], ["s1", "s2"], y[1:3]).labels, np.ndarray)
assert_type(FAMILIES["gaussian"], type[Distribution])
Log2().fit(X).transform(X)
shapiro_wilk(X)
"""

MISTAKES = """
from xnbflow.naive_bayes import XNB, NoSuchNB
from xnbflow.preprocessing.mdlp import _cut

XNB(n_grid="fifty")
XNB(no_such_parameter=1)
_cut(1, 2)
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory) -> dict[str, str]:
    """Mypy's errors of files that use the library as it is installed."""
    folder = tmp_path_factory.mktemp("user")
    for name, code in {"user": USER_CODE, "mistakes": MISTAKES}.items():
        (folder / f"{name}.py").write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "."]
    run = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    lines = run.stdout.splitlines()
    return {
        name: "\n".join(line for line in lines if line.startswith(f"{name}.py"))
        for name in ("user", "mistakes")
    }


@pytest.mark.slow
def test_code_of_a_user_has_the_types_that_the_documentation_says(errors):
    assert errors["user"] == ""


@pytest.mark.slow
def test_mistakes_of_a_user_are_found_those_with_compiled_kernels_included(errors):
    assert 'no attribute "NoSuchNB"' in errors["mistakes"]
    assert 'expected "int"' in errors["mistakes"]
    assert '"no_such_parameter"' in errors["mistakes"]
    assert 'arguments "n_classes", "bits" in call to "_cut"' in errors["mistakes"]


def test_the_estimators_can_be_imported_from_the_package_itself():
    assert xnbflow.ClassSpecificNBCV is naive_bayes.ClassSpecificNBCV
    assert xnbflow.CICA is preprocessing.CICA
    with pytest.raises(AttributeError, match="NoSuchNB"):
        _ = xnbflow.NoSuchNB


def test_jobs_that_fit_no_estimator_import_no_scikit_learn():
    code = (
        "import sys; import xnbflow.diagnostics.tables, xnbflow.data.sources.acquisition;"
        "print({'sklearn', 'scipy.stats'} & sys.modules.keys())"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "set()"
