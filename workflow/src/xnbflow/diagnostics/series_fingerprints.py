"""Samples that two series of a study share, found by a few features of each."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_file import iterate_features
from xnbflow.diagnostics.sample_components import MOST_COMPARED_SAMPLES
from xnbflow.diagnostics.sample_likeness import ENOUGH
from xnbflow.diagnostics.shared_samples import shared_samples
from xnbflow.tables.finding_table import finding_table

#: Features per series by which series are compared with each other.
_FINGERPRINT = 2000


def shared_by_series(paths: Mapping[str, str | Path]) -> pd.DataFrame:
    """Return the samples that two series of a study share, as findings with the column ``dataset``.

    A series is represented by its 2,000 features with the smallest hashes of their names, which are
    the same features in all series of a platform. Only pairs of series with at least 100 of these
    features in common are compared.
    """
    if len(paths) < 2:
        return finding_table([])
    fingerprints = {name: _fingerprint(path) for name, path in paths.items()}
    tables = [finding_table([])]
    for one, other in itertools.combinations(fingerprints, 2):
        common = fingerprints[one].index.intersection(fingerprints[other].index)
        if len(common) < ENOUGH:
            continue
        first = fingerprints[one].loc[common]
        second = fingerprints[other].loc[common]
        samples = (first.columns.to_numpy(dtype=str), second.columns.to_numpy(dtype=str))
        shared = shared_samples(first.to_numpy(), second.to_numpy(), samples)
        findings = []
        for sample in shared.itertuples(index=False):
            finding = Finding(
                code="repeats",
                kind="two series",
                dataset=one,
                subject=str(sample.first),
                other=f"{other}: {sample.second}",
                detail=str(sample.by),
                numbers={"estimate": float(sample.correlation)},
            )
            findings.append(finding)
        tables.append(finding_table(findings))
    return pd.concat(tables, ignore_index=True)


def _fingerprint(path: str | Path) -> pd.DataFrame:
    """Return a series' features with the smallest hashes, samples in columns; empty if too many."""
    header = DataSet.read(path, values=False)
    empty = pd.DataFrame(columns=header.samples)
    if len(header.samples) > MOST_COMPARED_SAMPLES or header.n_features < ENOUGH:
        return empty
    names = np.empty(0, object)
    hashes = np.empty(0, np.uint64)
    rows = empty.to_numpy(float)
    for features, values in iterate_features(path):
        complete = np.isfinite(values).all(axis=1)
        names = np.append(names, features[complete])
        hashes = np.append(hashes, pd.util.hash_array(features[complete].astype(object)))
        rows = np.concatenate([rows, values[complete]])
        smallest = np.argsort(hashes, kind="stable")[:_FINGERPRINT]
        names = names[smallest]
        hashes = hashes[smallest]
        rows = rows[smallest]
    return pd.DataFrame(rows, index=names, columns=header.samples)
