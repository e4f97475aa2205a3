"""What `adjust_covariates` and `centre_groups` change, in simulated studies and a real series.

Run by `python -m benchmarks.designs [studies] [adjusted]`.

Studies have 500 genes. *Batches*: 40 samples, half of them in each of two batches and
classes, of which a share agree; 50 genes are shifted by 1.5 standard deviations in the second
batch, and 10 others by 1 in the second class, or none. *Pairs*: a sample of either class of each of
20 patients, whose levels have a standard deviation of 2; 10 genes are shifted by 1, or none. The
classifier is `csnb` with ten features per class in five folds. A study is *above chance* if the
95 % interval of its accuracy, which counts patients, lies above one half: without an effect it is a
false verdict, with one power. With `adjusted` only the batches are run, with the complete rule
(interval and label test), before and after the test followed the step. The real series is GSE22780
(folder XNBFLOW_DATA, or ../shared/data): pancreatic tumours and normal tissue of eight patients, of
which the 2,000 probes of largest variance are used; its null has the labels of random patients
exchanged.
"""

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.inference.concordance import concordance
from xnbflow.inference.label_test import label_test
from xnbflow.models.trained import cross_validate

DATA = Path(os.environ.get("XNBFLOW_DATA", Path(__file__).parents[2] / "shared" / "data"))
CSNB = {"method": "csnb", "params": {"n_features": 10}}
STEPS: dict[str, dict[str, Any]] = {
    "batch": {"method": "adjust_covariates", "params": {"columns": ["plate"]}},
    "pairs": {"method": "centre_groups", "params": {"column": "patient"}},
}
GENES = 500
SAMPLES = 40
PATIENTS = 20
FOLDS = 5
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL = {"GENES": 50}
SMALL_WORDS = ("1",)


def batches(agreement: float, effect: float, seed: int) -> DataSet:
    """Return a study whose batch and class agree in a share of the samples."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], SAMPLES // 2)
    other = round((1 - agreement) * SAMPLES / 2)
    plate = y.copy()
    for label in (0, 1):
        plate[np.flatnonzero(y == label)[:other]] = 1 - label
    values = rng.normal(size=(GENES, SAMPLES))
    values[:50] += 1.5 * plate
    values[50:60] += effect * y
    return _series(values, y, pd.DataFrame({"plate": plate.astype(str)}))


def pairs(effect: float, seed: int) -> DataSet:
    """Return a study of patients with a sample of either class."""
    rng = np.random.default_rng(seed)
    patients = np.repeat(np.arange(PATIENTS), 2).astype(str)
    y = np.tile([0, 1], PATIENTS)
    levels = 2 * np.repeat(rng.normal(size=(GENES, PATIENTS)), 2, axis=1)
    values = levels + rng.normal(size=levels.shape)
    values[:10] += effect * y
    return _series(values, y, pd.DataFrame({"patient": patients}), patients)


def _series(
    values: np.ndarray, y: np.ndarray, phenotype: pd.DataFrame, groups: np.ndarray | None = None
) -> DataSet:
    """Return a simulated series of the classes a and b."""
    n_genes, n_samples = values.shape
    return DataSet(
        name="simulated",
        values=values,
        features=[f"g{i}" for i in range(n_genes)],
        samples=[f"s{i}" for i in range(n_samples)],
        labels=np.array(["a", "b"])[y],
        groups=groups,
        sample_metadata=phenotype,
    )


def pancreas() -> DataSet:
    """Return GSE22780 with its patients as groups; they have the same order within the classes."""
    table = pd.read_csv(DATA / "microarray/Pancreas_GSE22780.csv.gz", index_col=0)
    labels = table.pop("type").to_numpy(str)
    values = table.to_numpy(float).T
    most_variable = np.sort(np.argsort(-values.var(axis=1), kind="stable")[:2000])
    patients = pd.Series(labels).groupby(labels).cumcount().to_numpy().astype(str)
    return DataSet(
        name="GSE22780",
        values=values[most_variable],
        features=table.columns[most_variable],
        samples=table.index,
        labels=labels,
        groups=patients,
        sample_metadata=pd.DataFrame({"patient": patients}),
    )


def exchanged(series: DataSet, seed: int) -> DataSet:
    """Return a series with the labels of random patients exchanged."""
    rng = np.random.default_rng(seed)
    labels = series.labels.copy()
    for patient in np.unique(series.groups):
        samples = np.flatnonzero(series.groups == patient)
        labels[samples] = rng.permutation(labels[samples])
    return DataSet(
        name=series.name,
        values=series.values,
        features=series.features,
        samples=series.samples,
        labels=labels,
        groups=series.groups,
        sample_metadata=series.sample_metadata,
    )


def measured(series: DataSet, step: dict[str, Any] | None) -> tuple[float, float]:
    """Return the accuracy of a cross-validation, and the lower limit of its interval."""
    entry = {"steps": [step, CSNB]} if step else CSNB
    accuracy = cross_validate(series, entry, FOLDS).figures()["accuracy"]
    return accuracy["value"], accuracy["lower"]


def supported(series: DataSet, step: dict[str, Any]) -> dict[str, bool]:
    """Return which conditions an adjusted study meets.

    *interval*: the lower limit of its accuracy is above one half. *before* and *after*: interval
    and label test support it, before and after the test followed the step; now the step is fitted
    to each permutation, and labels are exchanged within the levels of the column. *recognised*: the
    scores order the classes within the levels (concordance, p at most .05).
    """
    result = cross_validate(series, {"steps": [step, CSNB]}, FOLDS)
    above = bool(result.figures()["accuracy"]["lower"] > 0.5)
    column = step["params"]["columns"][0]
    predictions = result.predictions.set_index("sample").loc[series.samples]
    scores = predictions[[f"log_posterior.{label}" for label in series.classes]].to_numpy()
    within = concordance(
        scores,
        np.searchsorted(series.classes, series.labels),
        pd.factorize(series.sample_metadata[column])[0],
    )
    tests = {"before": (), "after": step["params"]["columns"]}
    conditions = {"interval": above, "recognised": bool(within.p <= 0.05)}
    for name, columns in tests.items():
        conditions[name] = above and bool(
            label_test(series, adjust=columns)["p_value"][0] <= ONE_SIDED_LEVEL
        )
    return conditions


def adjusted(studies: int) -> Iterator[dict[str, Any]]:
    """Yield the shares of adjusted batch studies that meet each condition."""
    for agreement in (0.5, 0.75, 0.9):
        for effect in (0.0, 1.0):
            simulated = [batches(agreement, effect, seed) for seed in range(studies)]
            table = pd.DataFrame([supported(series, STEPS["batch"]) for series in simulated])
            shares = table.mean()
            yield {
                "design": f"batch, agreement {agreement:g}, adjusted",
                "effect": effect,
                "studies": studies,
                "interval above chance": shares["interval"],
                "supported before": shares["before"],
                "supported after": shares["after"],
                "recognised within batches": shares["recognised"],
                "supported after, and recognised": (table["after"] & table["recognised"]).mean(),
            }


class SimulatedDesign(NamedTuple):
    """A design, the step that suits it (of `STEPS`), and a function that draws one study."""

    name: str
    step: str
    effect: float
    draw: Callable[[int], DataSet]


def simulated_designs(real: DataSet) -> Iterator[SimulatedDesign]:
    """Yield the designs; the last one exchanges the labels of a real series."""
    for agreement in (0.5, 0.75, 0.9):
        for effect in (0.0, 1.0):
            draw = partial(batches, agreement, effect)
            yield SimulatedDesign(f"batch, agreement {agreement:g}", "batch", effect, draw)
    for effect in (0.0, 1.0):
        yield SimulatedDesign("pairs", "pairs", effect, partial(pairs, effect))
    yield SimulatedDesign("GSE22780, exchanged", "pairs", 0.0, partial(exchanged, real))


def formatted(value: object) -> str:
    """Return a cell of the printed table, numbers with three digits."""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def rows(studies: int) -> Iterator[dict[str, Any]]:
    """Yield design and step, mean accuracy, and the share of studies above chance."""
    real = pancreas()
    for design in simulated_designs(real):
        for step in (None, STEPS[design.step]):
            results = np.array([measured(design.draw(seed), step) for seed in range(studies)])
            yield {
                "design": design.name,
                "effect": design.effect,
                "step": step["method"] if step else "none",
                "accuracy": results[:, 0].mean(),
                "above chance": (results[:, 1] > 0.5).mean(),
            }
    for step in (None, STEPS["pairs"]):
        accuracy, lower = measured(real, step)
        named = step["method"] if step else "none"
        yield {"design": "GSE22780", "step": named, "accuracy": accuracy, "lower limit": lower}


def main(words: list[str]) -> None:
    """Print the rows; words: studies of a row, `adjusted` for the other table."""
    number = int(words[0]) if words else 100
    for row in adjusted(number) if "adjusted" in words else rows(number):
        print(*map(formatted, row.values()), sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
