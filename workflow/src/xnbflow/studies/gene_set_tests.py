"""Tests by CAMERA of whether the genes of a set are higher or lower in a class than others.

This test decides, as it accounts for the correlation of the genes of a set (see
`xnbflow.diagnostics.camera`). Overlaps with lists (`xnbflow.studies.enrichment`) and preranked
scores (`xnbflow.studies.prerank`) describe the sets.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.camera import SetTests, camera
from xnbflow.sources.sample_columns import with_known_covariates
from xnbflow.studies.enrichment import SIZES, gene_names
from xnbflow.tables.contract import STUDY_TABLES


def gene_set_tests(series: Mapping[str, DataSet], sets: Mapping[str, set[str]]) -> pd.DataFrame:
    """Test the sets with 5 to 500 measured genes for each class of each data set.

    The linear model is that of the table of genes: with the groups of the series, the columns to
    adjust for and, if it asks for it, the trend. Of several probes of a gene the one with the
    greatest mean is used, a choice without labels. Features with missing or constant values are
    left out. Of two classes the first is tested, as the second is its mirror. The result is the
    study's table ``gene_set_tests``; a series without degrees of freedom has no rows.
    """
    declared = STUDY_TABLES["gene_set_tests"]
    parts = [part for each in series.values() for part in _of_series(each, sets)]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=declared.fixed)


def _of_series(series: DataSet, sets: Mapping[str, set[str]]) -> Iterator[pd.DataFrame]:
    try:
        series = with_known_covariates(series)
    except InputError:
        return  # the table of genes names the reason
    genes = _one_probe_per_gene(series)
    places = {name: place for place, name in enumerate(genes.index)}
    members = {
        name: np.array(sorted(places[gene] for gene in wanted if gene in places), dtype=int)
        for name, wanted in sets.items()
    }
    tested = {name: found for name, found in members.items() if SIZES[0] <= len(found) <= SIZES[1]}
    if not tested:
        return
    codes = np.unique(series.labels, return_inverse=True)[1]
    try:
        designs = class_designs(codes, series.groups, series.covariates)
    except InputError:
        return  # the table of genes names the reason
    classes = series.classes[:1] if len(series.classes) == 2 else series.classes
    for code, label in enumerate(classes):
        design = next((each for each in designs if each.compared[code]), None)
        if design is not None:
            tests = _tests(genes.to_numpy(), design, code, tested, trend=series.trend)
            yield _rows(tests, list(tested)).assign(**{"dataset": series.name, "class": str(label)})


def _tests(
    values: np.ndarray,
    design: ClassDesign,
    code: int,
    sets: Mapping[str, np.ndarray],
    *,
    trend: bool,
) -> SetTests:
    """Test the sets for one class in the units of the design."""
    contrast = np.zeros(design.matrix.shape[1])
    contrast[: len(design.contrasts)] = design.contrasts[code]
    units = np.asarray(values @ design.weights)
    return camera(units, design.matrix, contrast, list(sets.values()), trend=trend)


def _one_probe_per_gene(series: DataSet) -> pd.DataFrame:
    """Return the values of each gene by its name (n_genes, n_samples), in order of the names."""
    values, known = series.values, series.feature_metadata
    symbol = np.full(series.n_features, "")
    if known is not None and "symbol" in known:
        symbol = known["symbol"].to_numpy()
    usable = (series.kinds == "linear") & ~np.isnan(values).any(axis=1)
    usable &= values.max(axis=1) > values.min(axis=1)
    probes = pd.DataFrame(
        {"symbol": symbol, "feature": series.features, "mean": values.mean(axis=1)}
    )
    names = gene_names(probes[usable])
    probes = probes.loc[names.index].assign(name=names)
    probes = probes.sort_values(["mean", "feature"], ascending=[False, True])
    probes = probes.drop_duplicates("name").sort_values("name")
    return pd.DataFrame(values[probes.index.to_numpy()], index=probes["name"])


def _rows(tests: SetTests, names: list[str]) -> pd.DataFrame:
    """Return the rows of a class by p."""
    table = pd.DataFrame(
        {
            "gene_set": names,
            "set_size": tests.size,
            "direction": np.where(tests.shift > 0, "higher", "lower"),
            "shift": tests.shift,
            "correlation": tests.correlation,
            "p": tests.p,
            "fdr": tests.fdr,
        }
    )
    table = table.sort_values("p", kind="stable", ignore_index=True)
    return table.assign(rank=np.arange(1, len(table) + 1))
