"""Calls of functions of all packages that cannot be answered are input errors with a reason."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import paper_cases
import pytest
from model_files import two_classes

from xnbflow import naive_bayes as nb
from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics import conditional_dependence
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.evaluation import metrics
from xnbflow.evaluation.folds import leave_one_group_out
from xnbflow.inference import paired_tests, rank_tests
from xnbflow.inference.label_test import label_test
from xnbflow.inference.stability import stability_index
from xnbflow.models import final, fit_model, matching
from xnbflow.models.explanation import explain_sample
from xnbflow.running.cli import commands
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, local_path
from xnbflow.sources.formats.gct import gct_and_cls
from xnbflow.studies import comparison, densities

SERIES = two_classes()
NUMBERS = SERIES.values.T


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(
            lambda: paired_tests.sorted_runs_test([1.0, 2.0], [1.0, 2.0]),
            "sorted runs need scores of shape (runs, folds), got (2,)",
            id="one run",
        ),
        pytest.param(
            lambda: paired_tests.wilcoxon_signed_rank_test([1.0, 2.0], [1.0]),
            "paired scores must have the same shape, got (2,) and (1,)",
            id="pairs of another shape",
        ),
        pytest.param(
            lambda: paired_tests.wilcoxon_signed_rank_test([1.0, np.nan], [1.0, 2.0]),
            "1 of 2 pairs of scores are missing or infinite",
            id="a missing score",
        ),
        pytest.param(
            lambda: paired_tests.corrected_resampled_t_test([1.0], [2.0], 1.0),
            "a t-test needs two folds or more, got 1",
            id="a t-test of one fold",
        ),
        pytest.param(
            lambda: rank_tests.average_ranks(
                pd.DataFrame({"nb": [0.5, 0.6], "xnb": [0.5, np.nan]})
            ),
            "xnb has no score on 1",
            id="a classifier without a score",
        ),
        pytest.param(
            lambda: rank_tests.iman_davenport_test(pd.DataFrame({"nb": [0.8], "xnb": [0.9]})),
            "a test over data sets needs at least two of them, got 1",
            id="one data set",
        ),
        pytest.param(
            lambda: rank_tests.pairwise_rank_tests({"nb": 1.0}, 10),
            "ranks of two classifiers on one data set are needed; got 1 on 10",
            id="ranks of one classifier",
        ),
        pytest.param(
            lambda: rank_tests.pairwise_rank_tests({"nb": 0.8, "xnb": 0.9}, 10),
            "average ranks of 2 classifiers add up to 3, these to 1.7",
            id="ranks of another sum",
        ),
        pytest.param(
            lambda: stability_index([{"a", "b"}, {"c"}], 2),
            "3 distinct features are selected out of 2",
            id="more features than there are",
        ),
        pytest.param(
            lambda: holm([0.1, 1.2]),
            "p-values must lie between 0 and 1, got 0.1 to 1.2",
            id="p above 1",
        ),
        pytest.param(
            lambda: leave_one_group_out(replace(SERIES, groups=["p1"] * 40)),
            "all samples are of the group 'p1'; none can be left out",
            id="one group",
        ),
        pytest.param(
            lambda: leave_one_group_out(replace(SERIES, groups=["p1", "p2"] * 20)),
            "fold 0 trains without class 'tumour'",
            id="a fold without a class",
        ),
        pytest.param(
            lambda: conditional_dependence(NUMBERS, SERIES.labels, min_abs_r=1.0),
            "min_abs_r is 1.0; it must be at least 0 and below 1",
            id="min_abs_r of 1",
        ),
        pytest.param(
            lambda: conditional_dependence(NUMBERS, SERIES.labels, alpha=0.0),
            "alpha is 0.0; it must be above 0 and at most 1",
            id="alpha of 0",
        ),
        pytest.param(
            lambda: conditional_dependence(NUMBERS, SERIES.labels, dof="n"),
            "dof is 'n'; use 'paper' (n - 2) or 'exact' (n - classes - 1)",
            id="unknown dof",
        ),
        pytest.param(
            lambda: conditional_dependence(NUMBERS, np.array(["a", 1] * 20, dtype=object)),
            "y mixes labels of different types",
            id="labels of two types",
        ),
        pytest.param(
            lambda: explain_sample(fit_model(SERIES, {"method": "xnb"}), SERIES.frame(), "none"),
            "0 samples are called 'none'",
            id="a sample that is not there",
        ),
        pytest.param(
            lambda: explain_sample(fit_model(SERIES, LINEAR), SERIES.frame(), "s0"),
            "RidgeClassifier has no evidence of single features",
            id="no evidence",
        ),
        pytest.param(
            lambda: label_test(SERIES, n_permutations=0),
            "n_permutations is 0; use 1 or more",
            id="no permutations",
        ),
        pytest.param(
            lambda: commands.parameters(["bandwidth={"]),
            "--param 'bandwidth={' cannot be read",
            id="an unreadable parameter",
        ),
        pytest.param(
            lambda: DataSet(
                "toy", np.zeros((2, 3)), features=["a", "b"], samples=["x", "y"], labels=["t", "n"]
            ),
            "toy: values have shape (2, 3), the names need (2, 2)",
            id="values of another shape",
        ),
        pytest.param(
            lambda: DataSet(
                "toy", np.zeros((2, 2)), features=["a", "b"], samples=["x", "y"], labels=["t"]
            ),
            "toy: one class label per sample is needed, 1 is given",
            id="too few labels",
        ),
        pytest.param(
            lambda: local_path("~no-such-user/a.csv"),
            "'~no-such-user/a.csv': there is no such home",
            id="an unknown home",
        ),
        pytest.param(
            lambda: local_path("file://[a/b.csv"),
            "'file://[a/b.csv' is no URL",
            id="an invalid URL",
        ),
        pytest.param(
            lambda: fit_model(SERIES, KMEANS),
            "KMeans has no classes_ after fit; use a classifier",
            id="a clusterer",
        ),
        pytest.param(
            lambda: explain_sample(fit_model(SERIES, RANKED), SERIES.frame(), "s0"),
            "XNB gets other values than the table's",
            id="a step before the classifier",
        ),
    ],
)
def test_a_call_that_cannot_be_computed_is_an_input_error(expected, call):
    with pytest.raises(InputError, match=re.escape(expected)):
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
#: Calls by the expected message.
CALLS = {
    "name 'Brain' is not <T": lambda: acquire(DatasetEntry("b", "cumida", "Brain")),
    "match is 'gene'; use one of": lambda: matching.common_features([SERIES, SERIES], "gene"),
    "has the class 'tumor', toy has": lambda: matching.matched(SERIES, OTHERS),
    "not measurements, and GCT is for": lambda: gct_and_cls(WORDS),
    "only in spaces or _ are equal": lambda: gct_and_cls(SPACED),
    "needs two classifiers, got": lambda: comparison.compare_over_data_sets(X[["g1"]]),
    "no density of g0; give them": lambda: densities.class_densities(SMALL, ["g0"], LINEAR),
    r"has shape \(2, 2\); its shape should be \(1, 2\)": lambda: metrics.known_predictions(
        np.array(["a"]), np.zeros((2, 2)), np.array(["a", "b"])
    ),
    "no fold of toy could be": lambda: final.final_model(
        SERIES, LINEAR, predictions=NOTHING, selected=NOTHING, origin={}
    ),
    r"Found array with 0 sample\(s\) \(": lambda: FITTED.predict(X[:0]),
    "class: it has no signature;": lambda: commands.signature_lines(GAUSSIAN, gmt=True),
}
CALLS |= paper_cases.CALLS


@pytest.mark.parametrize("message", CALLS)
def test_a_call_that_cannot_be_answered_is_refused_with_the_reason(message):
    with pytest.raises((InputError, NotImplementedError, TypeError), match=message):
        CALLS[message]()
