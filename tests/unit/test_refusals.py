"""Calls that cannot be answered are refused by what is wrong with them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from unit.test_models_file import two_classes

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.sources.sheet import local_path
from xnbflow.evaluation import paired_tests, rank_tests
from xnbflow.evaluation.folds_file import read_folds
from xnbflow.evaluation.metrics import fold_metrics
from xnbflow.evaluation.permutation import permutation_scores
from xnbflow.evaluation.stability import stability_index
from xnbflow.models import fit_model
from xnbflow.models.explanation import explain_sample
from xnbflow.naive_bayes.boundaries import von_mises_boundary, von_mises_fisher_boundary
from xnbflow.workflow.cli import commands


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_tests.sorted_runs_test([1.0, 2.0], [1.0, 2.0]),
        lambda: paired_tests.wilcoxon_signed_rank_test([1.0, 2.0], [1.0]),
        lambda: paired_tests.wilcoxon_signed_rank_test([1.0, np.nan], [1.0, 2.0]),
        lambda: paired_tests.corrected_resampled_t_test([1.0], [2.0], 1.0),
        lambda: paired_tests.bayesian_signed_rank_test([1.0, 2.0], [2.0, 1.0], -0.1),
        lambda: rank_tests.average_ranks(pd.DataFrame({"nb": [0.5]})),
        lambda: rank_tests.adjust_pairwise([0.1, 0.2], 3),
        lambda: rank_tests.adjust_pairwise([0.1, 0.2, 1.2], 3),
        lambda: rank_tests.pairwise_rank_tests({"nb": 0.8, "xnb": 0.9}, 10),
        lambda: stability_index([{"a", "b"}, {"c"}], 2),
        lambda: permutation_scores(two_classes(), {"method": "xnb"}, n_permutations=0),
        lambda: fold_metrics(np.array(["a"]), np.array(["z"]), None, np.array(["a", "b"])),
        lambda: von_mises_boundary([0, 1], [1, -1]),
        lambda: von_mises_boundary([0, 1], [1, 1], [0.0, 1.0]),
        lambda: von_mises_fisher_boundary([[1, 0], [0, 1]], [1, -2]),
        lambda: commands.parameters(["bandwidth={"]),
        lambda: DataSet("toy", np.zeros((2, 3)), ["a", "b"], ["x", "y"], ["t", "n"]),
        lambda: DataSet("toy", np.zeros((2, 2)), ["a", "b"], ["x", "y"], ["t"]),
        lambda: local_path("~no-such-user/a.csv"),
        lambda: local_path("file://[a/b.csv"),
        lambda: fit_model(two_classes(), KMEANS),
        lambda: explain_sample(fit_model(two_classes(), RANKED), two_classes().frame(), "s0"),
    ],
)
def test_what_cannot_be_computed(call):
    with pytest.raises(InputError):
        call()


KMEANS = {"method": "sklearn.cluster.KMeans", "params": {"n_clusters": 2}}
RANKED = {"steps": [{"method": "sample_ranks"}, {"method": "xnb"}]}


def test_predefined_folds_of_no_sensible_size(tmp_path, monkeypatch):
    monkeypatch.setattr("xnbflow.evaluation.folds_file._MOST_BYTES", 1 << 20)
    path = tmp_path / "folds.tsv"
    path.write_bytes(b"0\n" * (1 << 20))
    with pytest.raises(InputError, match="is larger than 1 MiB: these are no folds"):
        read_folds(path, SimpleNamespace(samples=["a", "b"]), 2, 1)
