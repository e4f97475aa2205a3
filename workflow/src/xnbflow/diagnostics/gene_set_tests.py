"""Tests by CAMERA of whether the genes of a set are higher or lower in a comparison than others.

The test accounts for the correlation of the genes of a set (see `xnbflow.diagnostics.camera`).

The linear models are those of the table of genes, with the groups of the series and, of the design
of the study, the columns to adjust for and the trend. Counts become log2 counts per million, of the
genes with enough reads, whose prior variance depends on the mean (limma-trend). The design's
``repeated: correlation`` has no part in the test: patients are blocks or means.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.study import Design
from xnbflow.data.class_design import ClassDesign
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import expressed_features, with_log_counts
from xnbflow.diagnostics.adjustment import with_known_covariates
from xnbflow.diagnostics.camera import camera
from xnbflow.diagnostics.contrasts import comparison_designs, comparisons
from xnbflow.diagnostics.least_squares import estimable
from xnbflow.diagnostics.linear_models import weights_of_units
from xnbflow.tables.contract import GROUPS

#: Least and largest number of measured genes of a set that is tested.
SIZES = (5, 500)


def gene_set_tests(
    series: DataSet, sets: Mapping[str, set[str]], design: Design | None = None
) -> pd.DataFrame:
    """Test the sets with 5 to 500 measured genes for each class of a data set.

    If a gene has several probes, the one with the greatest mean is used, a choice without labels.
    Features with missing or constant values are left out. With two classes only the first is
    tested, because the second is its mirror. The result is the table ``gene_set_tests`` of
    the group ``genes`` of `xnbflow.tables.contract`; a series without degrees of freedom has no
    rows.
    """
    tests = _class_tests(series, sets, design or Design())
    return _table_of(list(tests))


def contrast_set_tests(
    series: DataSet, sets: Mapping[str, set[str]], design: Design
) -> pd.DataFrame:
    """Test the sets for each comparison of two classes that a design has (reference, contrasts).

    Genes are those of `gene_set_tests`, the comparisons those of `xnbflow.diagnostics.contrasts`.
    The result are further rows of the table ``gene_set_tests``.
    """
    return _table_of(list(_comparison_tests(series, sets, design)))


def gene_set_notes(series: DataSet, sets: Mapping[str, set[str]]) -> list[str]:
    """Return a note if none of the sets has enough measured genes to be tested.

    Examples
    --------
    >>> series = DataSet("toy", np.zeros((1, 2)), ["TP53"], ["s", "t"], ["a", "b"])
    >>> gene_set_notes(series, {"mouse": {"Trp53"}})[0][:58]
    'no gene set has 5 to 500 measured genes (0 genes of the se'
    """
    names = gene_names(_features_of(series)).drop_duplicates()
    sizes = [int(names.isin(members).sum()) for members in sets.values()]
    if not sets or any(SIZES[0] <= size <= SIZES[1] for size in sizes):
        return []
    n_measured = int(names.isin(set().union(*sets.values())).sum())
    note = (
        f"no gene set has {SIZES[0]} to {SIZES[1]} measured genes ({n_measured:,} genes of the "
        "sets are measured), so that none is tested: sets and features must name genes alike; "
        "give probes their symbols by the key annotation of the data set"
    )
    return [note]


def gene_names(features: pd.DataFrame) -> pd.Series:
    """Return the symbols of features, or their names without one; not those of several genes.

    Examples
    --------
    >>> probes = pd.DataFrame({"feature": ["p1", "p2", "p3"], "symbol": ["TP53", "", "A///B"]})
    >>> gene_names(probes).tolist()
    ['TP53', 'p2']
    """
    names = features["symbol"].where(features["symbol"] != "", features["feature"])
    return names[~names.str.contains("///", regex=False)]


@dataclass(frozen=True, kw_only=True)
class _MeasuredSets:
    """The gene sets of a series that have 5 to 500 measured genes, and the designs of its classes.

    Attributes
    ----------
    values : ndarray of shape (n_genes, n_samples)
        One probe of each gene.
    members : dict of str to ndarray of int
        Positions of the genes of each set.
    trend : bool
        Whether the prior variance depends on the mean.
    designs : list of ClassDesign
        See `comparison_designs`.
    samples : ndarray of shape (n_samples, n_columns)
        The design of single samples.
    groups : ndarray of shape (n_samples,), or None
        The groups of the samples, from which means of unequal numbers of samples have their
        weights.
    """

    values: np.ndarray
    members: dict[str, np.ndarray]
    trend: bool
    designs: list[ClassDesign]
    samples: np.ndarray
    groups: np.ndarray | None

    def test(self, design: ClassDesign, contrast: np.ndarray) -> pd.DataFrame:
        """Test the sets by a contrast (n_columns,) of a design; rows by p."""
        unit_weights = None
        if self.groups is not None and design.unequal:
            unit_weights = weights_of_units(
                self.values, design, samples=self.samples, groups=self.groups
            )
        tested = camera(
            np.asarray(self.values @ design.weights),
            design.matrix,
            contrast,
            list(self.members.values()),
            trend=self.trend,
            unit_weights=unit_weights,
        )
        table = pd.DataFrame(
            {
                "gene_set": list(self.members),
                "set_size": tested.size,
                "direction": np.where(tested.shift > 0, "higher", "lower"),
                "shift": tested.shift,
                "correlation": tested.correlation,
                "p": tested.p,
                "fdr": tested.fdr,
            }
        )
        table = table.sort_values("p", kind="stable", ignore_index=True)
        return table.assign(rank=np.arange(1, len(table) + 1))


def _class_tests(
    series: DataSet, sets: Mapping[str, set[str]], study_design: Design
) -> Iterator[pd.DataFrame]:
    """Yield the tests of each class against the others."""
    measured = _measured_sets(series, sets, study_design)
    if measured is None:
        return
    classes = series.classes[:1] if len(series.classes) == 2 else series.classes
    for code, label in enumerate(classes):
        design = next((one for one in measured.designs if one.compared[code]), None)
        if design is not None:
            contrast = np.zeros(design.matrix.shape[1])
            contrast[: len(design.contrasts)] = design.contrasts[code]
            yield measured.test(design, contrast).assign(**{"class": str(label)})


def _comparison_tests(
    series: DataSet, sets: Mapping[str, set[str]], study_design: Design
) -> Iterator[pd.DataFrame]:
    """Yield the tests of each comparison of two classes."""
    if not (study_design.reference or study_design.contrasts):
        return
    measured = _measured_sets(series, sets, study_design)
    if measured is None:
        return
    for comparison in comparisons(series, study_design):
        for design in measured.designs:
            contrast = comparison.contrast(series.classes, design.matrix.shape[1])
            if estimable(design.matrix, contrast)[0]:
                yield measured.test(design, contrast[0]).assign(contrast=comparison.name)
                break


def _measured_sets(
    series: DataSet, sets: Mapping[str, set[str]], study_design: Design
) -> _MeasuredSets | None:
    """Return the sets with 5 to 500 genes that a series has; None without sets or degrees."""
    if not sets:
        return None
    try:
        series = with_known_covariates(series, study_design)
        designs = comparison_designs(series, study_design)
        [of_samples] = comparison_designs(series, study_design, correlated=True)
    except InputError:
        return None  # the tables of genes and contrasts name the reason
    genes = _one_probe_per_gene(series)
    positions = {name: position for position, name in enumerate(genes.index)}
    members = {}
    for name, symbols in sets.items():
        measured = sorted(positions[symbol] for symbol in symbols if symbol in positions)
        if SIZES[0] <= len(measured) <= SIZES[1]:
            members[name] = np.array(measured, dtype=int)
    if not members:
        return None
    return _MeasuredSets(
        values=genes.to_numpy(),
        members=members,
        trend=bool(study_design.trend) or series.scale == COUNTS,
        designs=designs,
        samples=of_samples.matrix,
        groups=series.groups,
    )


def _one_probe_per_gene(series: DataSet) -> pd.DataFrame:
    """Return the values of each gene by its name (n_genes, n_samples), in order of the names."""
    values = with_log_counts(series).values
    usable = (series.kinds == "linear") & ~np.isnan(values).any(axis=1)
    usable &= values.max(axis=1) > values.min(axis=1)
    if series.scale == COUNTS:
        usable &= expressed_features(series)
    probes = _features_of(series).assign(mean=values.mean(axis=1))
    names = gene_names(probes[usable])
    probes = probes.loc[names.index].assign(name=names)
    probes = probes.sort_values(["mean", "feature"], ascending=[False, True])
    probes = probes.drop_duplicates("name").sort_values("name")
    return pd.DataFrame(values[probes.index.to_numpy()], index=probes["name"])


def _features_of(series: DataSet) -> pd.DataFrame:
    """Return the features of a series with their symbols, empty where they have none."""
    metadata = series.feature_metadata
    symbol = np.full(series.n_features, "")
    if metadata is not None and "symbol" in metadata:
        symbol = metadata["symbol"].to_numpy()
    return pd.DataFrame({"symbol": symbol, "feature": series.features})


def _table_of(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of several tests as the table ``gene_set_tests``."""
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    for compared in ("class", "contrast"):
        if compared not in table:
            table[compared] = ""
    return table.reindex(columns=GROUPS["genes"].tables["gene_set_tests"].fixed)
