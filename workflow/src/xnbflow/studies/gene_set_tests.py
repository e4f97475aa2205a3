"""Tests by CAMERA of whether the genes of a set are higher or lower in a comparison than others.

This test decides, as it accounts for the correlation of the genes of a set (see
`xnbflow.diagnostics.camera`). Overlaps with lists (`xnbflow.studies.enrichment`) and preranked
scores (`xnbflow.studies.prerank`) describe the sets.

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
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import expressed_features, with_log_counts
from xnbflow.diagnostics.adjustment import covariates, with_known_covariates
from xnbflow.diagnostics.camera import camera
from xnbflow.diagnostics.contrasts import Comparison, comparison_designs, comparisons
from xnbflow.diagnostics.least_squares import estimable
from xnbflow.diagnostics.linear_models import weights_of_units
from xnbflow.studies.enrichment import SIZES, gene_names
from xnbflow.tables.contract import STUDY_TABLES


@dataclass(frozen=True, kw_only=True)
class MeasuredSets:
    """The gene sets of a series that have 5 to 500 measured genes.

    Attributes
    ----------
    values : ndarray of shape (n_genes, n_samples)
        One probe of each gene.
    members : dict of str to ndarray of int
        Positions of the genes of each set.
    trend : bool
        Whether the prior variance depends on the mean.
    """

    values: np.ndarray
    members: dict[str, np.ndarray]
    trend: bool

    def tests(
        self,
        design: ClassDesign,
        contrast: np.ndarray,
        used: np.ndarray,
        *,
        samples: np.ndarray,
        groups: np.ndarray | None,
    ) -> pd.DataFrame:
        """Test the sets by a contrast of a design of the ``used`` samples; rows by p.

        ``samples`` (n_used, n_columns) is the design of single samples and ``groups`` (n_used,)
        their groups, from which means of unequal numbers of samples have their weights.
        """
        values = self.values[:, used]
        unit_weights = None
        if groups is not None and design.unequal:
            unit_weights = weights_of_units(values, design, samples=samples, groups=groups)
        tested = camera(
            np.asarray(values @ design.weights),
            design.matrix,
            contrast,
            list(self.members.values()),
            trend=self.trend,
            unit_weights=unit_weights,
        )

        # The rows of a class by p.
        names = list(self.members)
        table = pd.DataFrame(
            {
                "gene_set": names,
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


def gene_set_tests(
    series: Mapping[str, DataSet],
    sets: Mapping[str, set[str]],
    designs: Mapping[str, Design] | None = None,
) -> pd.DataFrame:
    """Test the sets with 5 to 500 measured genes for each class of each data set.

    If a gene has several probes, the one with the greatest mean is used, a choice without labels.
    Features with missing or constant values are left out. With two classes only the first is
    tested, because the second is its mirror. ``designs`` are those of a study by data set. The
    result is the study's table ``gene_set_tests``; a series without degrees of freedom has no rows.
    """
    parts: list[pd.DataFrame] = []
    for name, data_set in series.items():
        parts += _of_classes(data_set, (designs or {}).get(name, Design()), sets)
    return _study_table("gene_set_tests", parts)


def contrast_set_tests(
    series: Mapping[str, DataSet],
    sets: Mapping[str, set[str]],
    designs: Mapping[str, Design] | None = None,
) -> pd.DataFrame:
    """Test the sets for each further comparison of each data set (reference, contrasts).

    CAMERA has one contrast: of a comparison of several, such as three levels, each is tested, and
    the column ``part`` names it. Genes and samples are those of `gene_set_tests` and of
    `xnbflow.diagnostics.contrasts`. The result is the study's table ``contrast_set_tests``.
    """
    parts: list[pd.DataFrame] = []
    for name, data_set in series.items():
        parts += _of_comparisons(data_set, (designs or {}).get(name, Design()), sets)
    return _study_table("contrast_set_tests", parts)


def _study_table(name: str, parts: list[pd.DataFrame]) -> pd.DataFrame:
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=STUDY_TABLES[name].fixed)


def _of_classes(
    series: DataSet, study_design: Design, sets: Mapping[str, set[str]]
) -> Iterator[pd.DataFrame]:
    """Yield the tests of each class against the others."""
    try:
        series = with_known_covariates(series, study_design)
        measured = _measured_sets(series, study_design, sets)
        codes = np.unique(series.labels, return_inverse=True)[1]
        columns = covariates(series, study_design)
        designs = class_designs(codes, series.groups, columns)
        samples = class_designs(codes, None, columns)[0].matrix
    except InputError:
        return  # the table of genes names the reason
    if not measured.members:
        return
    everyone = np.ones(series.n_samples, dtype=bool)
    classes = series.classes[:1] if len(series.classes) == 2 else series.classes
    for code, label in enumerate(classes):
        design = next((candidate for candidate in designs if candidate.compared[code]), None)
        if design is not None:
            contrast = np.zeros(design.matrix.shape[1])
            contrast[: len(design.contrasts)] = design.contrasts[code]
            table = measured.tests(
                design, contrast, everyone, samples=samples, groups=series.groups
            )
            yield table.assign(**{"dataset": series.name, "class": str(label)})


def _of_comparisons(
    series: DataSet, study_design: Design, sets: Mapping[str, set[str]]
) -> Iterator[pd.DataFrame]:
    """Yield the tests of each contrast of the further comparisons."""
    if not (study_design.reference or study_design.contrasts):
        return
    try:
        series = with_known_covariates(series, study_design)
    except InputError:
        return
    measured = _measured_sets(series, study_design, sets)
    for comparison in comparisons(series, study_design) if measured.members else ():
        yield from _comparison_tests(series, study_design, comparison, measured)


def _comparison_tests(
    series: DataSet, study_design: Design, comparison: Comparison, measured: MeasuredSets
) -> Iterator[pd.DataFrame]:
    """Yield the tests of all sets in the contrasts of one comparison."""
    try:
        designs = comparison_designs(series, study_design, comparison)
        of_samples = comparison_designs(series, study_design, comparison, correlated=True)
        samples = of_samples[0].design.matrix
    except InputError:
        return  # the table of contrasts names the reason
    groups = None if series.groups is None else series.groups[comparison.samples]
    for number, name in enumerate(comparison.parts or ("",)):
        for candidate in designs:
            contrast = candidate.contrasts[number]
            if estimable(candidate.design.matrix, contrast[None])[0]:
                table = measured.tests(
                    candidate.design,
                    contrast,
                    comparison.samples,
                    samples=samples,
                    groups=groups,
                )
                yield table.assign(dataset=series.name, contrast=comparison.name, part=name)
                break


def _measured_sets(
    series: DataSet, study_design: Design, sets: Mapping[str, set[str]]
) -> MeasuredSets:
    """Return the sets with 5 to 500 genes that the series has."""
    genes = one_probe_per_gene(series)
    positions = {name: position for position, name in enumerate(genes.index)}
    members = {}
    for name, symbols in sets.items():
        measured = sorted(positions[symbol] for symbol in symbols if symbol in positions)
        if SIZES[0] <= len(measured) <= SIZES[1]:
            members[name] = np.array(measured, dtype=int)
    trend = bool(study_design.trend) or series.scale == COUNTS
    return MeasuredSets(values=genes.to_numpy(), members=members, trend=trend)


def one_probe_per_gene(series: DataSet) -> pd.DataFrame:
    """Return the values of each gene by its name (n_genes, n_samples), in order of the names."""
    values = with_log_counts(series).values
    metadata = series.feature_metadata
    symbol = np.full(series.n_features, "")
    if metadata is not None and "symbol" in metadata:
        symbol = metadata["symbol"].to_numpy()
    usable = (series.kinds == "linear") & ~np.isnan(values).any(axis=1)
    usable &= values.max(axis=1) > values.min(axis=1)
    if series.scale == COUNTS:
        usable &= expressed_features(series)
    probes = pd.DataFrame(
        {"symbol": symbol, "feature": series.features, "mean": values.mean(axis=1)}
    )
    names = gene_names(probes[usable])
    probes = probes.loc[names.index].assign(name=names)
    probes = probes.sort_values(["mean", "feature"], ascending=[False, True])
    probes = probes.drop_duplicates("name").sort_values("name")
    return pd.DataFrame(values[probes.index.to_numpy()], index=probes["name"])
