"""CAMERA against limma 3.54: stored results of one series, and R where it is installed."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, ttest_ind

from xnbflow.diagnostics.camera import camera

HERE = Path(__file__).parent
CODES = np.repeat([0, 1, 2], [5, 5, 4])
AGE = np.arange(14) * 7 % 11
SETS = [np.arange(12), np.arange(12, 40), np.arange(30, 36), np.array([3, 50, 77, 90]),
        np.arange(60, 100), np.array([5])]  # fmt: skip


def series():
    """120 genes of 14 samples in three classes, without a random generator.

    Genes of one twelve share a part, so that they are correlated; those of the first are higher in
    the second class.
    """
    gene, sample = np.arange(120)[:, None], np.arange(14)[None]
    noise = np.sin(12.9898 * gene + 78.233 * sample + 0.37 * gene * sample)
    shared = np.sin(5.1 * (gene // 12) + 1.9 * sample * (1 + gene // 12 % 5))
    scale = 1 + 0.5 * np.sin(gene)
    return 8 + scale * (noise + 0.4 * shared) + 0.9 * (gene < 12) * (CODES == 1) + 0.02 * gene


def design():
    return np.column_stack([np.eye(3)[CODES], AGE - AGE.mean()])


CONTRAST = np.array([-0.5, 1.0, -0.5, 0.0])


def computed():
    values = series()
    return {
        "estimated": camera(values, design(), CONTRAST, SETS),
        "trend": camera(values, design(), CONTRAST, SETS, trend=True),
    }


def compare(expected):
    for name, tests in computed().items():
        rows = expected[expected["test"] == name]
        assert rows["size"].tolist() == tests.size.tolist()
        assert rows["higher"].tolist() == (tests.shift > 0).tolist()
        for column in ("correlation", "p", "fdr"):
            np.testing.assert_allclose(getattr(tests, column), rows[column], rtol=1e-6)


def test_numbers_are_those_of_limma():
    """`camera_limma.tsv` was written by camera.R with limma 3.54.1."""
    compare(pd.read_csv(HERE / "camera_limma.tsv", sep="\t"))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_numbers_are_those_of_limma_now(tmp_path):
    for name, table in (("values", series()), ("design", design()), ("contrast", CONTRAST)):
        np.savetxt(tmp_path / f"{name}.tsv", table, delimiter="\t", fmt="%.17g")
    lines = ["\t".join(map(str, members)) for members in SETS]
    (tmp_path / "sets.tsv").write_text("\n".join(lines) + "\n")
    command = ["Rscript", str(HERE / "camera.R"), str(tmp_path)]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    if "no package called" in run.stderr:
        pytest.skip("limma is not installed")
    assert run.returncode == 0, run.stderr
    compare(pd.read_csv(tmp_path / "expected.tsv", sep="\t", skipinitialspace=True))


@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_null_sets_of_correlated_genes_are_rejected_at_their_level(correlation):
    """20 modules of 15 genes, 12 samples: counted over studies of which one set is tested."""
    n_studies, rejected, uncorrected = 300, 0, 0
    members = [np.arange(15)]
    for seed in range(n_studies):
        rng = np.random.default_rng(seed)
        shared = np.repeat(rng.normal(size=(20, 12)), 15, axis=0)
        values = np.sqrt(correlation) * shared
        values += np.sqrt(1 - correlation) * rng.normal(size=values.shape)
        classes = np.eye(2)[np.repeat([0, 1], 6)]
        actual = camera(values, classes, np.array([-1.0, 1.0]), members)
        rejected += actual.p[0] <= 0.05
        difference = values[:, 6:].mean(axis=1) - values[:, :6].mean(axis=1)
        uncorrected += ttest_ind(difference[:15], difference[15:]).pvalue <= 0.05
    assert rejected <= binom.ppf(0.999, n_studies, 0.05)
    assert (uncorrected > 0.3 * n_studies) == (correlation > 0)


def test_genes_without_variation_between_sets_and_whole_series_have_no_test():
    values = series()[:20]
    tests = camera(values, design(), CONTRAST, [np.arange(20), np.arange(18), np.arange(17)])
    assert np.isnan(tests.p).tolist() == [True, True, False]
    assert tests.fdr[2] == tests.p[2]  # missing p are not counted as tests
