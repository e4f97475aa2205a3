"""What the documentation and the types of the library say."""

import importlib
import inspect
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, is_regressor

import xnbflow
from xnbflow import naive_bayes, preprocessing

ESTIMATORS = [
    found
    for package in (naive_bayes, preprocessing)
    for name in package.__all__
    if inspect.isclass(found := getattr(package, name))
]


PUBLIC_MODULES = [
    "xnbflow.data.cells",
    "xnbflow.diagnostics",
    "xnbflow.density.families",
    "xnbflow.evaluation.paired_tests",
    "xnbflow.evaluation.rank_tests",
    "xnbflow.models",
    "xnbflow.naive_bayes",
    "xnbflow.preprocessing",
    "xnbflow.data.dataset",
]


#: Methods of scikit-learn's estimators: they describe only what is special.
CONVENTIONS = {
    "decision_function",
    "get_params",
    "fit",
    "partial_fit",
    "predict",
    "predict_joint_log_proba",
    "predict_log_proba",
    "predict_proba",
    "set_params",
    "transform",
}


#: Attributes that scikit-learn's own classes set.
OF_SCIKIT_LEARN = {"n_features_in_", "feature_names_in_"}


#: Parameters without a default.
NEEDED = {
    "ExpressionFilter": {"level": 0.0},
    "SelectiveNB": {"estimator": naive_bayes.GaussianNB()},
}


EVERY = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda found: found.__name__)


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
        elif current and current[-1] == "":  # a list of names goes on
            current[-1:] = [name.strip(" *\\") for name in line.partition(" : ")[0].split(",")]
    return found


def methods(estimator):
    """Public methods that this package defines, with their parameters but for self."""
    for name, method in inspect.getmembers(estimator, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("xnbflow."):
            yield (
                name,
                method,
                [key for key in inspect.signature(method).parameters if key != "self"],
            )


@EVERY
def test_public_methods_say_what_they_take_and_what_they_return(estimator):
    wrong = []
    for name, method, parameters in methods(estimator):
        text = inspect.getdoc(method)
        known = {"X", "y"} if name in CONVENTIONS else set()
        if missing := [
            key for key in set(parameters) - known if not re.search(rf"\b{key}\b", text)
        ]:
            wrong.append(f"{name}: {', '.join(sorted(missing))} without a description")
        if name not in CONVENTIONS and not re.search(r"\breturns?\b", text, re.IGNORECASE):
            wrong.append(f"{name}: nothing about what it returns")
    assert wrong == []


@EVERY
def test_parameters_are_those_of_the_class_and_leads_on_are_given(estimator):
    doc = sections(estimator)
    taken = [key for key in inspect.signature(estimator.__init__).parameters if key != "self"]
    taken = [key for key in taken if key not in ("args", "kwargs")]
    assert [name for name in taken if name not in doc.get("Parameters", ())] == []
    assert doc.get("See Also"), "See Also leads on to its relatives"
    known = {name for module in PUBLIC_MODULES for name in names_of(module)}
    for name in doc["See Also"]:
        assert name.rpartition(".")[2] in known or name.startswith("sklearn."), name


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_every_public_name_stands_in_the_reference(module):
    page = (Path(__file__).parents[2] / "docs/reference/api.md").read_text()
    shown = {path.rpartition(".")[2] for path in re.findall(r"^::: (\S+)$", page, re.MULTILINE)}
    constants = {name for name in names_of(module) if name.isupper()} - {"CICA", "XNB"}
    assert set(names_of(module)) - shown == constants


def documented_names():
    page = (Path(__file__).parents[2] / "docs/reference/api.md").read_text()
    return re.findall(r"^::: (\S+)$", page, re.MULTILINE)


@pytest.mark.parametrize("path", documented_names())
def test_every_name_of_the_reference_has_its_sections(path):
    """Parameters where there are any, and what is returned, or what a class holds."""
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    written = sections(found)
    if not inspect.isclass(found):
        taken = set(inspect.signature(found).parameters)
        assert taken <= set(written.get("Parameters", ()))
        returns = inspect.signature(found).return_annotation
        yields = {"Returns", "Yields"} & written.keys()
        assert yields or returns in (None, "None")
    elif not (issubclass(found, BaseEstimator) or inspect.isabstract(found)):
        fields = getattr(found, "_fields", None) or getattr(found, "__dataclass_fields__", ())
        named = {*written.get("Attributes", ()), *written.get("Parameters", ())}
        assert named
        assert set(fields) <= named


def names_of(module):
    return importlib.import_module(module).__all__


def fitted(estimator):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 12)
    X = rng.normal(size=(36, 4)) + y[:, None] * np.array([2.0, 1.0, 0.0, 0.0])
    if estimator.__name__ == "VonMisesFisherNB":
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    if estimator.__name__ in ("GeneralizedNB", "StepwiseNaiveEffects"):
        X, y = X[:24], y[:24]
    model = estimator(**NEEDED.get(estimator.__name__, {}))
    y = y.astype(float) if is_regressor(model) or estimator.__name__ == "CICA" else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(np.abs(X) if "CountsPerMillion" in estimator.__name__ else X, y)


@EVERY
def test_every_public_attribute_of_a_fit_is_documented(estimator):
    if inspect.isabstract(estimator):
        pytest.skip("a base class")
    model = fitted(estimator)
    documented = set(OF_SCIKIT_LEARN)
    for base in estimator.__mro__:
        if issubclass(base, BaseEstimator) and base.__module__.startswith("xnbflow."):
            documented |= set(sections(base).get("Attributes", ()))
    computed = {
        name
        for base in estimator.__mro__
        if base.__module__.startswith("xnbflow.")
        for name, value in vars(base).items()
        if isinstance(value, property) and not value.__doc__
    }
    public = {name for name in {*vars(model), *computed} if not name.startswith("_")}
    assert sorted(public - documented - set(model.get_params(deep=False))) == []


# --- types ----------------------------------------------------------------------------------------


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


@pytest.mark.slow
def test_a_type_checker_accepts_correct_code_of_users_and_finds_mistakes(tmp_path):
    """As the library is installed; compiled kernels keep their types."""
    for name, code in {"user": USER_CODE, "mistakes": MISTAKES}.items():
        (tmp_path / f"{name}.py").write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "."]
    run = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    assert "user.py" not in run.stdout
    for mistake in ('"NoSuchNB"', 'expected "int"', '"no_such_parameter"', '"n_classes", "bits"'):
        assert mistake in run.stdout


def test_the_estimators_can_be_imported_from_the_package_itself():
    for name in ("ClassSpecificNBCV", "XNB"):
        assert getattr(xnbflow, name) is getattr(naive_bayes, name)
    assert xnbflow.CICA is preprocessing.CICA


def test_jobs_that_fit_no_estimator_import_no_scikit_learn():
    code = (
        "import sys; import xnbflow.diagnostics.tables, xnbflow.data.sources.acquisition;"
        "print({'sklearn', 'scipy.stats'} & sys.modules.keys())"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "set()"
