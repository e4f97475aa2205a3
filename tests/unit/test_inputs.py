"""What is refused of parameters, samples, labels and calls, and what is taken."""

import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import paper_cases
import pytest
from model_files import two_classes
from refused_samples import CODES, HALF, NOISE
from toys import put

import xnbflow
from xnbflow import naive_bayes as nb
from xnbflow import preprocessing
from xnbflow.core.errors import InputError
from xnbflow.core.parameters import Declared
from xnbflow.data.columns import column_positions
from xnbflow.data.dataset import DataSet
from xnbflow.density import families
from xnbflow.density.families import Distribution
from xnbflow.diagnostics import conditional_dependence
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.evaluation import metrics
from xnbflow.evaluation.build import import_estimator
from xnbflow.evaluation.folds import leave_one_group_out
from xnbflow.evaluation.folds_file import read_folds
from xnbflow.evaluation.methods import shipped_methods
from xnbflow.inference import paired_tests, rank_tests
from xnbflow.inference.permutation import label_test
from xnbflow.inference.stability import stability_index
from xnbflow.models import final, fit_model, matching
from xnbflow.models.explanation import explain_sample
from xnbflow.preprocessing.estimator import Estimator
from xnbflow.running.cli import app, commands
from xnbflow.sources.acquisition import acquire
from xnbflow.sources.genepattern import write_gct_and_cls
from xnbflow.sources.sheet import SheetRow, local_path
from xnbflow.studies import comparison, densities

OF_THE_REGISTRY = [
    name for method in shipped_methods().values() for name in (method.estimator, *method.related)
]
ABSTRACT = {"BaseNaiveBayes", "Distribution"}
PUBLIC = [each for module in (nb, preprocessing, families) for each in vars(module).values()]
PUBLIC = [*filter(inspect.isclass, PUBLIC), *map(import_estimator, OF_THE_REGISTRY)]
PUBLIC += paper_cases.FAMILIES

DECLARED = [
    each
    for each in dict.fromkeys(PUBLIC)
    if each.__name__ not in ABSTRACT
    and issubclass(each, Declared)
    and (issubclass(each, Estimator | Distribution))
]

#: Those that name what is wrong with samples; filters and normalisers leave that to scikit-learn.
ESTIMATORS = [each for each in DECLARED if issubclass(each, Estimator)]


PARAMETERS = [(each, name) for each in ESTIMATORS for name in inspect.signature(each).parameters]


def used(model, X):
    return getattr(model, "predict", getattr(model, "transform", None))(X)


#: What an estimator needs, or what makes it faster.
NEEDED = {
    "SelectiveNB": {"estimator": nb.GaussianNB()},
    "GaussianBlocks": {"columns": [[0]]},
    "ClassSpecificNBCV": {"cv": 2},
}


def make(estimator):
    return estimator(**NEEDED.get(estimator.__name__, {}))


def samples(estimator):
    rng = np.random.default_rng(0)
    codes = np.arange(36) % 2
    X = rng.normal(size=(36, 3)) + 2.0 * codes[:, np.newaxis]
    if estimator.__name__ == "VonMisesFisherNB":
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, X[:, 0].copy() if estimator.__name__ == "KernelNBRegressor" else codes


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: each.__name__)


@pytest.mark.parametrize("declared", DECLARED, ids=lambda each: each.__name__)
def test_every_parameter_is_declared_and_its_default_allowed(declared):
    names = set(inspect.signature(declared).parameters)
    assert set(declared._parameter_constraints) == names
    make(declared)._validate_params()


@each_estimator
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, np.ma.masked])
def test_samples_without_a_label_are_named(estimator, missing):
    X, y = samples(estimator)
    labels = (
        [float(each) for each in y]
        if estimator.__name__ == "KernelNBRegressor"
        else ["ab"[c] for c in y]
    )
    labels[4] = labels[9] = missing
    labels = labels if missing is None else np.array(labels, dtype=object)
    labels = np.ma.array(y, mask=np.isin(range(36), [4, 9])) if missing is np.ma.masked else labels
    with pytest.raises(InputError, match="2 of 36 samples have no label in y: 4, 9"):
        make(estimator).fit(X, labels)


@each_estimator
@pytest.mark.parametrize("value", [np.nan, np.inf, "high", None])
def test_what_is_no_finite_number_is_named_in_fit_and_later(estimator, value):
    X, y = samples(estimator)
    if estimator.__name__ in MISSING and pd.isna(value):
        pytest.skip("missing values are its business")
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(36)]).add_prefix("g")
    model = make(estimator).fit(frame, y)
    frame = frame.astype(object)
    frame.loc["s3", "g2"] = value
    with pytest.raises(InputError, match=r"'g2'.*'s3'"):
        make(estimator).fit(frame, y)
    lenient = pd.isna(value) and estimator in (nb.ClassSpecificNB, nb.ClassSpecificNBCV)
    if not lenient and estimator.__name__ != "StepwiseNaiveEffects":  # it takes columns as they are
        with pytest.raises(InputError, match=r"'g2'.*'s3'"):
            used(model, frame)


MISSING = {"Imputer", "SampleRanks", "SampleStandardizer", "QuantileNormalizer"}


@each_estimator
def test_columns_that_share_a_name_are_named(estimator):
    X, y = samples(estimator)
    with pytest.raises(InputError, match="X has 2 columns named 'g1'"):
        make(estimator).fit(pd.DataFrame(X, columns=["g1", "g2", "g1"]), y)


@each_estimator
@pytest.mark.parametrize("unit", [1e160, 1e-170, 1e300, 1e-300])
def test_a_column_beyond_the_range_of_squares_is_named_or_does_no_harm(estimator, unit):
    if estimator.__name__ == "VonMisesFisherNB":
        pytest.skip("unit vectors have no unit, and pairs of columns have a common one")
    X, y = samples(estimator)
    frame = pd.DataFrame(X, columns=["g0", "g1", "g2"])
    scaled = frame.assign(g1=frame["g1"] * unit)
    if estimator._squares_features:
        with pytest.raises(InputError, match=r"column 'g1' (reaches|varies by) .* another unit"):
            make(estimator).fit(scaled, y)
    else:
        expected, found = (used(make(estimator).fit(each, y), each) for each in (frame, scaled))
        if hasattr(estimator, "predict"):
            np.testing.assert_array_equal(found, expected)
        assert np.isfinite(found).all()


@each_estimator
def test_values_that_hardly_differ_are_no_tiny_values(estimator):
    """Constant columns, zeros among them, and far offsets are in range."""
    X, y = samples(estimator)
    if estimator.__name__ in ("CICA", "BlockNB", "VonMisesFisherNB"):
        X = X + (estimator.__name__ != "VonMisesFisherNB") * 1e9
    else:
        X[:, 2] = 0.0
    assert np.isfinite(used(make(estimator).fit(X, y), X).astype(float)).all()


@pytest.mark.filterwarnings("ignore:class .* has 1 sample:UserWarning")
@pytest.mark.parametrize(
    ("estimator", "X", "y", "named"),
    [
        (nb.GaussianNB(var_smoothing=0.0), HALF, CODES, "feature 2 is constant in class 0"),
        (nb.GaussianNB(priors=[1.1, -0.1]), NOISE, CODES, "[Pp]riors"),
        (nb.GaussianNB(priors=[0.5, 0.4]), NOISE, CODES, "priors"),
        (nb.GaussianNB(priors=[np.nan, 1.0]), NOISE, CODES, "[Pp]riors"),
        (nb.XNB(), NOISE[:0], [], r"Found array with 0 sample\(s\)"),
        (nb.ClassSpecificNBCV(sizes=[]), NOISE, CODES, "sizes"),
        (nb.ClassSpecificNBCV(cv="ten"), NOISE, CODES, "cv"),
        (nb.ClassSpecificNBCV(), np.eye(2), [0, 1], "2 folds"),
        *paper_cases.REFUSED,
        (preprocessing.SampleStandardizer(), [[np.nan, np.nan]], None, "sample 0"),
        (preprocessing.Imputer(), np.full((3, 2), np.nan), None, "missing"),
    ],
    ids=lambda value: str(value)[:60] if hasattr(value, "fit") else "",
)
def test_what_an_estimator_cannot_use_is_named(estimator, X, y, named):
    with pytest.raises(InputError, match=named):
        estimator.fit(X, y) if hasattr(estimator, "predict") else estimator.fit(X, y).transform(X)


NAMES = np.array(["a", "b", "c", "d"], dtype=object)


@pytest.mark.parametrize(
    ("columns", "positions"),
    [
        *((columns, [3, 1]) for columns in ([3, 1], (-1, 1), ["d", "b"], ["d", 1])),
        ([np.str_("d"), np.int64(-3)], [3, 1]),
        *((columns, [1]) for columns in (1, -3, "b", slice(1, 2), slice("b", "b"))),
        *((kind([False, False, True, True]), [2, 3]) for kind in (list, np.array)),
        *((columns, []) for columns in ([], np.array([]), [False] * 4)),
    ],
)
def test_columns_are_returned_in_the_order_named(columns, positions):
    assert column_positions(columns, NAMES, "x").tolist() == positions


def test_the_package_itself_has_its_estimators():
    assert xnbflow.XNB is nb.XNB
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = xnbflow.nothing


def test_names_need_to_exist_and_to_be_of_one_column():
    repeated = np.array(["a", "b", "a"], dtype=object)
    for columns, names in (("a", np.arange(3)), (["b", "a"], repeated)):
        with pytest.raises(InputError, match="'a'"):
            column_positions(columns, names, "angular")
    assert column_positions(["b"], repeated, "angular").tolist() == [1]


@pytest.mark.parametrize(("estimator", "name"), PARAMETERS)
def test_a_value_of_no_type_that_a_parameter_has_is_refused_by_its_name(estimator, name):
    X, y = samples(estimator)
    with pytest.raises(InputError, match=f"^{name} is ") as error:
        make(estimator).set_params(**{name: object()}).fit(X, y)
    assert len(str(error.value)) <= 300


SERIES = two_classes()
NUMBERS = SERIES.values.T


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_tests.sorted_runs_test([1.0, 2.0], [1.0, 2.0]),
        lambda: paired_tests.wilcoxon_signed_rank_test([1.0, 2.0], [1.0]),
        lambda: paired_tests.wilcoxon_signed_rank_test([1.0, np.nan], [1.0, 2.0]),
        lambda: paired_tests.corrected_resampled_t_test([1.0], [2.0], 1.0),
        lambda: rank_tests.average_ranks(pd.DataFrame({"nb": [0.5, 0.6], "xnb": [0.5, np.nan]})),
        lambda: rank_tests.iman_davenport_test(pd.DataFrame({"nb": [0.8], "xnb": [0.9]})),
        lambda: rank_tests.pairwise_rank_tests({"nb": 1.0}, 10),
        lambda: rank_tests.pairwise_rank_tests({"nb": 0.8, "xnb": 0.9}, 10),
        lambda: stability_index([{"a", "b"}, {"c"}], 2),
        lambda: holm([0.1, 1.2]),
        lambda: leave_one_group_out(replace(SERIES, groups=["p1"] * 40)),
        lambda: leave_one_group_out(replace(SERIES, groups=["p1", "p2"] * 20)),
        lambda: conditional_dependence(NUMBERS, SERIES.labels, min_abs_r=1.0),
        lambda: conditional_dependence(NUMBERS, SERIES.labels, alpha=0.0),
        lambda: conditional_dependence(NUMBERS, SERIES.labels, dof="n"),
        lambda: conditional_dependence(NUMBERS, np.array(["a", 1] * 20, dtype=object)),
        lambda: explain_sample(fit_model(SERIES, {"method": "xnb"}), SERIES.frame(), "none"),
        lambda: explain_sample(fit_model(SERIES, LINEAR), SERIES.frame(), "s0"),
        lambda: label_test(SERIES, LINEAR, n_permutations=0),
        lambda: commands.parameters(["bandwidth={"]),
        lambda: DataSet("toy", np.zeros((2, 3)), ["a", "b"], ["x", "y"], ["t", "n"]),
        lambda: DataSet("toy", np.zeros((2, 2)), ["a", "b"], ["x", "y"], ["t"]),
        lambda: local_path("~no-such-user/a.csv"),
        lambda: local_path("file://[a/b.csv"),
        lambda: fit_model(SERIES, KMEANS),
        lambda: explain_sample(fit_model(SERIES, RANKED), SERIES.frame(), "s0"),
    ],
)
def test_what_cannot_be_computed(call):
    with pytest.raises(InputError):
        call()


LINEAR = {"method": "sklearn.linear_model.RidgeClassifier"}
KMEANS = {"method": "sklearn.cluster.KMeans", "params": {"n_clusters": 2}}
RANKED = {"steps": [{"method": "sample_ranks"}, {"method": "xnb"}]}


X = SERIES.frame()
FITTED = nb.ClassSpecificNB(n_features=2).fit(X, SERIES.labels)
GAUSSIAN = fit_model(SERIES, {"method": "gaussian_nb"})
OTHERS = replace(SERIES, name="other", labels=["normal", "tumor"] * 20)
WORDS = replace(SERIES, kinds=["categorical"] * 8)
SMALL = replace(SERIES, values=SERIES.values * 1e-200)
SPACED = replace(SERIES, labels=["a b", "a_b"] * 20)
NOTHING = pd.DataFrame()
#: What is said, of which call.
SAID = {
    "location 'Brain' is not <T": lambda: acquire(SheetRow("b", "cumida", "Brain")),
    "match is 'gene'; use one of": lambda: matching.common_features([SERIES, SERIES], "gene"),
    "has the class 'tumor', toy has": lambda: matching.matched(SERIES, OTHERS),
    "not measurements; GCT is for": lambda: write_gct_and_cls(WORDS, "x"),
    "only in spaces or _ are equal": lambda: write_gct_and_cls(SPACED, "x"),
    "needs two classifiers, got": lambda: comparison.compare_over_data_sets(X[["g1"]]),
    "no density of g0; give them": lambda: densities.class_densities(SMALL, ["g0"], LINEAR),
    r"has shape \(2, 2\); its shape should be \(1, 2\)": lambda: metrics.known_predictions(
        np.array(["a"]), np.zeros((2, 2)), np.array(["a", "b"])
    ),
    "no fold of toy could be": lambda: final.final_model(SERIES, LINEAR, NOTHING, NOTHING, {}),
    r"Found array with 0 sample\(s\) \(": lambda: FITTED.predict(X[:0]),
    "class: it has no signature;": lambda: commands.signature_lines(GAUSSIAN, gmt=True),
    "does not name the table that": lambda: commands.training_series(GAUSSIAN, [], "rows"),
}
SAID |= paper_cases.CALLS


@pytest.mark.parametrize("said", SAID)
def test_what_cannot_be_used_and_why(said):
    with pytest.raises((InputError, NotImplementedError, TypeError), match=said):
        SAID[said]()


def test_what_is_not_installed_or_does_not_end_is_named(tmp_path, monkeypatch):
    pytest.importorskip("h5py")  # its import runs a process, which the test replaces below
    needed = pytest.raises(InputError, match="needs jinja2; install xnbflow with its extra `work")
    with needed, commands.workflow_extra():
        raise ModuleNotFoundError(name="jinja2")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="Snakemake is not installed; install xnbflow with its"):
        app.call_snakemake("demo", [])
    monkeypatch.setattr(shutil, "which", Mock(return_value="snakemake"))
    monkeypatch.setattr(os, "access", Mock(return_value=False))
    with pytest.raises(InputError, match="cannot be written; run in another folder"):
        app.call_snakemake("demo", ["-n"])
    monkeypatch.setattr(subprocess, "run", Mock(side_effect=subprocess.TimeoutExpired([], 20)))
    with pytest.raises(InputError, match="HDF5 does not finish reading it"):
        acquire(SheetRow("x", "table", str(put(tmp_path, "abc", "x.h5ad")), label="y"))
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(InputError, match="to read it, install h5py"):
        acquire(SheetRow("x", "table", str(put(tmp_path, "abc", "x.h5ad")), label="y"))
    monkeypatch.setattr(importlib.util, "find_spec", Mock(return_value=None))
    with pytest.raises(InputError, match="to read it, install python-calamine, or save it as CSV"):
        acquire(SheetRow("x", "table", str(put(tmp_path, "abc", "x.xlsx")), label="y"))


def test_predefined_folds_of_no_sensible_size(tmp_path, monkeypatch):
    monkeypatch.setattr("xnbflow.evaluation.folds_file._MOST_BYTES", 1 << 20)
    path = tmp_path / "folds.tsv"
    path.write_bytes(b"0\n" * (1 << 20))
    with pytest.raises(InputError, match="is larger than 1 MiB: this is not a file of folds"):
        read_folds(path, SimpleNamespace(samples=["a", "b"]), 2, 1)
