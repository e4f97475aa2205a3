"""Rules and scripts of the workflow: each has its places, and a script imports what it needs."""

import re
from pathlib import Path

import pytest

from xnbflow.tables.contract import JOBS

ROOT = Path(__file__).parents[3]


#: What takes a tenth of a second or more to import. `scipy.stats` has been imported if its
#: distributions have been; the entry of its name in `sys.modules` may be a deferred import.
SLOW = {
    "matplotlib",
    "numba",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats.distributions",
    "skops",
    "sklearn.base",
    "sklearn.feature_selection",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.pipeline",
}


@pytest.mark.parametrize(
    ("stage", "needed"),
    [
        ("acquire", set()),
        ("diagnose", {"numba", "scipy.special"}),
        ("classify", {"numba", "scipy.special", "sklearn.base"}),
        ("check", {"numba", "scipy.special", "sklearn.base"}),
        ("models", {"numba", "scipy.special", "sklearn.base"}),
        ("permute", {"numba", "scipy.special", "sklearn.base"}),
        ("validate", {"numba", "scipy.special", "sklearn.base"}),
        ("combine", {"numba", "scipy.special", "sklearn.base"}),
        ("compare", {"numba", "scipy.special", "sklearn.base"}),
        ("report", {"matplotlib"}),
    ],
)
def test_a_stage_imports_only_what_it_needs(run, stage, needed):
    text = (ROOT / f"workflow/scripts/{stage}.py").read_text()
    imports = "\n".join(re.findall(r"^from xnbflow\..*", text, re.MULTILINE))
    asked = f"\nimport sys; sys.exit(' '.join({SLOW} & set(sys.modules)))"
    assert set(run(imports + asked)[1].split()) == needed


TRAINING_WITH_OWN_CLASSIFIERS = """
import sys
import numpy as np
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.training import train
values = np.random.default_rng(0).normal(size=(30, 24))
values[:5, 12:] += 3.0
features = [f"g{i}" for i in range(30)]
samples = [f"s{i}" for i in range(24)]
series = DataSet("toy", values, features, samples, labels=np.repeat(["a", "b"], 12))
folds = draw_folds(series, 3, 1)
for name in ("ClassSpecificNBCV", "GaussianNB", "ShrunkenCentroids"):
    tables = train(series, folds, {"method": f"xnbflow.naive_bayes.{name}"})
    assert len(tables["predictions"]) == 24, name
"""


def test_a_job_that_trains_our_classifiers_imports_no_more_of_scikit_learn(run):
    asked = f"sys.exit(' '.join({SLOW} & set(sys.modules)))"
    _, errors = run(TRAINING_WITH_OWN_CLASSIFIERS + asked)
    assert set(errors.split()) == {"numba", "scipy.special", "sklearn.base"}


def test_every_rule_has_its_three_places():
    """Its group in tables.toml, its rule and its script; with log, usage, memory and time."""
    workflow = ROOT / "workflow"
    text = "".join(path.read_text() for path in sorted((workflow / "rules").glob("*.smk")))
    written = set(re.findall(r"^rule (\w+):", text, re.MULTILINE))
    assert written == {path.stem for path in (workflow / "scripts").glob("*.py")} == set(JOBS)
    for rule in written:
        for words in (f'log_of("{rule}")', f'usage_of("{rule}")', f"scripts/{rule}.py"):
            assert words in text
    for words in ("mem_mb=lambda", "runtime=lambda"):
        assert text.count(words) == len(written), f"a rule lacks {words}"
