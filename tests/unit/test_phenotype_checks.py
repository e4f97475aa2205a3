"""The class from the phenotype alone; batch and sex from the genes of a signature."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from toys import dataset

from xnbflow.data.dataset import read_header
from xnbflow.evaluation.phenotype_checks import phenotype_checks

N = 40
LABELS = np.repeat(["normal", "tumour"], N // 2)


def series(values=None, labels=LABELS, **columns):
    values = np.zeros((1, N)) if values is None else values
    return dataset(values, labels, sample_metadata=pd.DataFrame(columns))


def severity(made):
    return phenotype_checks("", made, {})["severity"].tolist()


def test_columns_that_separate_classes_together_are_severe():
    rng = np.random.default_rng(0)
    one = rng.integers(0, 2, N)
    two = one ^ (LABELS == "tumour")  # neither alone says anything of the class
    both = np.array(list("abcd"))[2 * one + two]
    assert severity(series(one=one, age=rng.normal(50, 9, N))) == ["none"]
    assert severity(series(both=both, age=rng.normal(50, 9, N))) == ["severe"]
    ages = np.where(LABELS == "tumour", 60, 50) + rng.normal(0, 6, N)
    assert severity(series(age=ages)) == ["warning"]


def test_what_only_patients_have_does_not_name_them():
    stage = [""] * 20 + ["1", "2"] * 10
    assert severity(series(stage=stage, site=list("ab") * 20)) == ["none"]
    assert severity(series(stage=stage, patient=np.arange(N))) == []


def test_random_columns_seldom_raise_an_alarm():
    rng, alarms = np.random.default_rng(1), 0
    for _ in range(15):
        columns = {"site": rng.choice(list("abc"), N), "age": rng.normal(50, 9, N).round()}
        alarms += severity(series(labels=rng.permutation(LABELS), **columns)) != ["none"]
    assert alarms <= binom.ppf(0.999, 15, 0.025)


@pytest.mark.parametrize(("effect", "expected"), [(0.0, "none"), (2.0, "warning")])
def test_a_signature_that_recognises_the_batch_is_named(tmp_path, effect, expected):
    rng = np.random.default_rng(2)
    batch = rng.integers(0, 2, N)
    values = rng.normal(size=(30, N)) + 3 * (LABELS == "tumour")
    values[:10] += effect * batch
    values[10:] += 9 * batch  # of genes that are not in the signature
    series(values, ScanDate=np.array(["b1", "b2"])[batch]).write(tmp_path / "toy")
    signature = pd.DataFrame({"feature": [f"g{i}" for i in range(10)]})
    rows = phenotype_checks(
        tmp_path / "toy", read_header(tmp_path / "toy"), {("toy", "nb"): signature}
    )
    assert rows[rows["check"] == "signature"]["severity"].tolist() == [expected]
