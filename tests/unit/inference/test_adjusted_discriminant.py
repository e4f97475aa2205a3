"""Label tests adjusted for columns: batches without an effect, effects, strata."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from toys import dataset

from xnbflow.inference.adjusted_discriminant import Adjustment, adjusted_score, columns_of_steps
from xnbflow.inference.diagonal_discriminant import ten_features_score
from xnbflow.inference.label_test import label_test


def batches(seed, agreement, effect=0.0, n=40, genes=150):
    """A batch shifts 50 genes by 1.5 and agrees with the class; the class shifts ten others."""
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1], n // 2)
    other = round((1 - agreement) * n / 2)
    plate = codes.copy()
    for code in (0, 1):
        plate[np.flatnonzero(codes == code)[:other]] = 1 - code
    values = rng.normal(size=(genes, n))
    values[:50] += 1.5 * plate
    values[50:60] += effect * codes
    phenotype = pd.DataFrame({"plate": np.array(["p", "q"])[plate]})
    return dataset(values, np.array(["a", "b"])[codes], f"d{seed}", sample_metadata=phenotype)


@pytest.mark.slow
@pytest.mark.parametrize("agreement", [0.75, 0.9])
def test_adjusted_batches_without_an_effect_are_rejected_at_their_level(agreement):
    """The fewest permutations whose smallest p, (1 / 50) / .8 for the means, is .025."""
    n_studies = 24
    drawn = {"n_permutations": 49, "n_repeats": 1}
    adjusted = [
        label_test(batches(seed, agreement), adjust=["plate"], **drawn)["p_value"][0]
        for seed in range(n_studies)
    ]
    assert np.sum(np.array(adjusted) <= 0.025) <= binom.ppf(0.999, n_studies, 0.025)
    unadjusted = [label_test(batches(seed, agreement), **drawn)["p_value"][0] for seed in range(6)]
    assert np.mean(np.array(unadjusted) <= 0.025) > 0.5


def test_an_effect_beside_an_adjusted_batch_is_found():
    (row,) = label_test(batches(0, 0.75, 2.0), adjust=["plate"], n_permutations=199).to_dict(
        "records"
    )
    assert row["p_value"] <= 0.01
    assert row["permuted"].endswith("adjusted for plate within folds")


def test_without_columns_the_score_is_the_fast_one():
    series = batches(1, 0.75, 1.0)
    fast = ten_features_score(series.values)(series.labels, 3)
    same = adjusted_score(series.values, np.empty((40, 0)))(series.labels, 3)
    assert same == pytest.approx(fast, abs=1e-5)


def test_labels_are_exchanged_within_the_levels_of_the_columns():
    series = batches(0, 0.75)
    strata, columns = Adjustment.of(series, ["factor(plate)"])
    assert (strata == pd.factorize(series.sample_metadata["plate"])[0]).all()
    assert columns.shape == (40, 1)
    assert columns_of_steps({"method": "csnb"}) == []
    name = "xnbflow.preprocessing.designs.CovariateAdjuster"
    step = {"method": name, "params": {"columns": ["plate"]}}
    assert columns_of_steps({"steps": [step, {"method": "csnb"}]}) == ["plate"]
