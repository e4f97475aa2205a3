"""The tables of a study: reads what data sets and classifiers left behind, and puts it together."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.evaluation import rankings, summaries
from xnbflow.series import SeriesHeader, read_header

__all__ = ["Key", "study_tables"]

#: What identifies the results of a classifier: data set, scheme of folds, classifier.
Key = tuple[str, str, str]


def study_tables(
    diagnosed: Sequence[str],
    files: Mapping[str, Sequence[str]],
    alpha: float,
    paper: Mapping[str, str] | None = None,
) -> dict[str, pd.DataFrame]:
    """Make every table of `xnbflow.layout.STUDY_TABLES`.

    Parameters
    ----------
    diagnosed : sequence of str
        The data sets that have diagnostics, in the order of their files.
    files : mapping of str to sequence of path
        ``series``, ``truth``, ``normality``, ``normality_within``, ``dependence``, ``paper``, and
        per training job ``predictions``, ``selected`` and ``fits``.
    alpha : float
        Level of the normality test.
    paper : mapping of str to str, optional
        Which classifier plays the part of the paper's ``nb``, and of its ``xnb``.

    Returns
    -------
    dict of str to DataFrame
    """
    headers = {header.name: header for header in map(read_header, files["series"])}
    predictions = read_training(files["predictions"])
    selected = read_training(files["selected"])
    fits = read_training(files["fits"])
    truth = {Path(path).name.split(".truth")[0]: pd.read_parquet(path) for path in files["truth"]}
    metrics = summaries.metrics(predictions, fits, headers)
    diagnostics = _diagnostics(diagnosed, files, alpha)
    repeats = summaries.repeats(metrics, fits)
    return {
        "datasets": _datasets(headers),
        "class_sizes": _class_sizes(headers),
        "diagnostics": diagnostics,
        "metrics": metrics,
        "summary": summaries.summary(metrics, fits),
        "repeats": repeats,
        "paper": summaries.paper(
            repeats, diagnostics, [pd.read_csv(p, sep="\t") for p in files["paper"]], paper or {}
        ),
        "confusion": summaries.confusion(predictions),
        "calibration": summaries.calibration(predictions, headers),
        "samples": summaries.samples(predictions),
        "selection": summaries.selection(selected, fits),
        "stability": summaries.stability(selected, fits, headers),
        "recovery": summaries.recovery(selected, fits, truth),
        "ranks": rankings.ranks(repeats),
        "omnibus": rankings.omnibus(repeats),
        "pairwise": rankings.pairwise(repeats),
        "pairwise_within": rankings.pairwise_within(metrics),
        "seconds": summaries.seconds(fits),
        "problems": summaries.problems(fits),
    }


def read_training(paths: Iterable[str]) -> dict[Key, pd.DataFrame]:
    """Read one table of all training jobs, the batches of a classifier put together.

    Parameters
    ----------
    paths : iterable of path
        ``.../{dataset}/{folds}/{classifier}/{table}/{batch}.parquet``.
    """
    parts: dict[Key, list[pd.DataFrame]] = {}
    for path in paths:
        dataset, folds, classifier = Path(path).parts[-5:-2]
        parts.setdefault((dataset, folds, classifier), []).append(pd.read_parquet(path))
    return {key: pd.concat(tables, ignore_index=True) for key, tables in parts.items()}


def _datasets(headers: Mapping[str, SeriesHeader]) -> pd.DataFrame:
    rows = [(h.name, len(h.samples), h.n_features, len(h.classes)) for h in headers.values()]
    return pd.DataFrame(rows, columns=["dataset", "samples", "features", "classes"])


def _class_sizes(headers: Mapping[str, SeriesHeader]) -> pd.DataFrame:
    tables: list[Any] = [
        pd.Series(h.labels)
        .value_counts()
        .sort_index()
        .rename_axis("class")
        .reset_index(name="samples")
        for h in headers.values()
    ]
    for table, name in zip(tables, headers, strict=True):
        table.insert(0, "dataset", name)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


_DIAGNOSTICS = [
    *("dataset", "non_normal_ratio", "non_normal_ratio_fdr"),
    *("non_normal_within_ratio", "non_normal_within_ratio_fdr"),
    *("dependent_ratio", "max_abs_r", "dependent_pairs", "cut", "dof"),
]


def _diagnostics(
    diagnosed: Sequence[str], files: Mapping[str, Sequence[str]], alpha: float
) -> pd.DataFrame:
    rows = []
    for i, dataset in enumerate(diagnosed):
        normality = pd.read_parquet(files["normality"][i])
        within = pd.read_parquet(files["normality_within"][i])
        dependence = pd.read_parquet(files["dependence"][i])
        test = pd.read_parquet(files["dependence_test"][i])
        ratios = summaries.diagnostics(normality, within, dependence, alpha)
        rows.append({"dataset": dataset, **ratios, **test.iloc[0].to_dict()})
    return pd.DataFrame(rows, columns=_DIAGNOSTICS)
