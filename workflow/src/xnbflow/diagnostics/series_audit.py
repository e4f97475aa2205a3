"""Audit of a series before accuracies are interpreted: confounders, levels, labels, scale.

Batches that coincide with classes make classifiers look good (Soneson and others, PLoS ONE 9, 2014,
e100335); in 46% of the series of one survey, samples had the wrong sex (Toker and others,
F1000Research 5, 2016, 2103).
"""

import itertools
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.data.dataset import DataSet, row_slices
from xnbflow.data.gene_names import split_genes
from xnbflow.data.read_counts import with_log_counts
from xnbflow.data.series_file import iterate_features
from xnbflow.diagnostics.audit_row import Row, audit_row
from xnbflow.diagnostics.confounders import (
    as_dates,
    as_numbers,
    confounders,
    has_value,
    share_of_variance,
    short,
    usable,
)
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.diagnostics.repeated_samples import (
    ENOUGH,
    likely_repeats,
    shared_samples,
    similar_samples,
)
from xnbflow.diagnostics.sample_levels import global_shifts, library_sizes
from xnbflow.sources.series.plausibility import repeated_samples
from xnbflow.sources.series.scale_recognition import intensity_quantiles, is_not_logged, scale_of
from xnbflow.sources.series.scales import RecognisedScale
from xnbflow.tables.contract import AUDIT_TABLES, STUDY_TABLES
from xnbflow.tables.storage import table_of

#: Most samples that are compared pair by pair, and drawn; more are thinned evenly.
_MOST_SAMPLES = 1000
#: Robust standard deviations from its class beyond which a sample is an outlier.
_OUTLYING = 6.0
#: Number of principal components in the table.
_COMPONENTS = 5
#: Number of principal components in which outliers are searched.
_OUTLIER_COMPONENTS = 3
#: Share of the distances from the median, in a normal distribution, to a standard deviation.
_MAD_TO_SD = 1.4826
#: Least number of samples for outliers.
_FEWEST_FOR_OUTLIERS = 10
#: Categories of a column that are drawn.
_COLOURS = 7
#: Columns of the phenotype that figures show, at most.
_PICTURES = 4
#: Correlation from which two samples are copies rather than replicates.
_COPIES = 0.95
#: Share of the samples in likely repeats from which on these are a warning, and share of those with
#: another one of their class from which on they are severe.
_FEW_REPEATS = 0.1
_MANY_REPEATS = 0.5
#: Distance of the sexes, in robust standard deviations, below which genes do not separate them.
_SEPARATED_SEXES = 4.0
#: Values above this are intensities rather than logarithms.
_LARGEST_LOGARITHM = 50.0
#: Level of the association of a component with a column, adjusted over all of both, and the least
#: share of the component's variance: with many samples weaker ones are certain, and explain little.
_COMPONENT_LEVEL = 0.01
_COMPONENT_SHARE = 0.25
_SEX = re.compile(r"(^|[\s_.:\-])(sex|gender)$", re.IGNORECASE)
_FEMALE_GENE = "XIST"
_MALE_GENES = ("RPS4Y1", "KDM5D", "DDX3Y")
#: Features per series by which series are compared with each other.
_FINGERPRINT = 2000


def audit(series: DataSet) -> dict[str, pd.DataFrame]:
    """Audit a series for causes of unreliable accuracies of classifiers.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(200, 12))
    >>> phenotype = pd.DataFrame({"site": ["north"] * 6 + ["south"] * 6})
    >>> series = DataSet("toy", values, range(200), range(12), list("aaaaaabbbbbb"),
    ...                  sample_metadata=phenotype)
    >>> audit(series)["audit"][["check", "subject", "severity"]].values.tolist()[0]
    ['confounder', 'site', 'severe']
    """
    logarithms = with_log_counts(series)
    components, overview = principal_components(logarithms)
    repeat_rows, repeats = _likely_repeats(logarithms)
    rows = [
        *confounders(series),
        *global_shifts(series),
        *library_sizes(series),
        *sexes(logarithms),
        *_repeated(logarithms),
        *repeat_rows,
        *_scale(logarithms),
        *overview,
    ]
    position = components.pop("position").to_numpy()
    describing = _describing(series)
    related = component_associations(components, describing.iloc[position])

    # A notice for each component that follows a column.
    strong = (related["p_holm"] <= _COMPONENT_LEVEL) & (related["share"] >= _COMPONENT_SHARE)
    for association in related[strong].to_dict("records"):
        name = association["component"].replace("_", " ")
        text = (
            f"{name} of the samples follows “{association['column']}” "
            f"({association['share']:.0%} of the variance of its ranks)"
        )
        row = audit_row(
            "component follows column",
            name,
            "notice",
            text,
            other=association["column"],
            value=association["share"],
            p=association["p"],
        )
        row["p_holm"] = association["p_holm"]
        rows.append(row)

    table = table_of(rows, AUDIT_TABLES["audit"])
    numbers = dict.fromkeys(("value", "p", "p_holm", "genes", "genes_adjusted"), float)
    # The column that is most associated with the class comes first, then those that are most
    # associated with a component, whatever they are called.
    tested = [row["subject"] for row in rows if row["check"] == "confounder"]
    by_component = related.sort_values("p", kind="stable")["column"].tolist()
    shown = [name for name in dict.fromkeys([*tested[:1], *by_component]) if name in describing]
    for name in shown[:_PICTURES]:
        components[f"phenotype.{name}"] = _drawn_categories(series, name)[position]
    components = components.drop(columns=[*_further_components(components)])
    return {"audit": table.astype(numbers), "components": components, "likely_repeats": repeats}


def _further_components(components: pd.DataFrame) -> list[str]:
    """Return the columns of the components that are tested and not drawn."""
    scores = [name for name in components if str(name).startswith("component_")]
    return [str(name) for name in scores[2:]]


def component_associations(components: pd.DataFrame, phenotype: pd.DataFrame) -> pd.DataFrame:
    """Return the association of each principal component with each column of the samples.

    Categories, also days of dates, are tested by the test of Kruskal and Wallis, numbers by
    Spearman's rank correlation. Names of columns decide nothing, and neither does the class: a
    component that follows a column explains part of all comparisons of these samples.

    Parameters
    ----------
    components : DataFrame with columns ``component_1``, ``component_2``, ...
    phenotype : DataFrame with as many rows

    Returns
    -------
    DataFrame
        ``component``, ``column``, ``share`` (of the variance of the ranks of the component), ``p``
        and ``p_holm``, adjusted over all components and columns.

    Examples
    --------
    >>> scores = pd.DataFrame({"component_1": [1.0, 2, 3, 4, 15, 16, 17, 18]})
    >>> phenotype = pd.DataFrame({"library": ["single"] * 4 + ["paired"] * 4})
    >>> component_associations(scores, phenotype)[["column", "share"]].round(2).values.tolist()
    [['library', 0.72]]
    """
    rows = []
    names = [name for name in components if str(name).startswith("component_")]
    for column, all_cells in phenotype.items():
        present = has_value(all_cells).to_numpy(dtype=bool)
        cells = all_cells[present].str.strip()
        for name in names:
            scores = components[name].to_numpy()[present]
            tested = share_of_variance(scores, cells)
            if tested is not None:
                share, p = tested
                rows.append({"component": name, "column": str(column), "share": share, "p": p})
    table = pd.DataFrame(rows, columns=["component", "column", "share", "p"])
    return table.assign(p_holm=holm(table["p"].to_numpy(dtype=float)))


def _phenotype(series: DataSet) -> pd.DataFrame:
    """Return the phenotype of the samples; it may have no columns."""
    if series.sample_metadata is None:
        return pd.DataFrame(index=range(series.n_samples))
    return series.sample_metadata


def _describing(series: DataSet) -> pd.DataFrame:
    """Return the columns of the phenotype that describe samples and do not name them.

    A column of texts names them if it has a text of its own for each group, or for most samples:
    patients are in no table and no figure, and a component cannot follow them.
    """
    phenotype = _phenotype(series)
    names = []
    for column, cells in phenotype.items():
        texts = cells.str.strip()
        if as_numbers(texts[has_value(texts)]) is None:
            n_texts = texts.nunique()
            is_name = n_texts > series.n_samples / 2
            if series.groups is not None:
                pairs = pd.DataFrame({"text": texts, "group": series.groups}).drop_duplicates()
                is_name |= n_texts == len(pairs) == len(np.unique(series.groups))
            if is_name:
                names.append(column)
    return phenotype.drop(columns=names)


def _drawn_categories(series: DataSet, name: str) -> np.ndarray:
    """Return a column of the phenotype in few categories, "" where it is missing.

    Numbers with more than 7 values are divided into quarters, for example "20 to 34"; of more than
    7 categories all but the most frequent become "others".
    """
    all_cells = _phenotype(series)[name].str.strip()
    cells = all_cells[has_value(all_cells)]
    categories = pd.Series("", index=all_cells.index, dtype=object)
    numbers = as_numbers(cells)
    days = as_dates(cells)
    if days is not None:
        cells = days.dt.strftime("%Y-%m-%d")
    if numbers is not None and numbers.nunique() > _COLOURS:
        quarters = pd.qcut(numbers, 4, duplicates="drop", precision=2).astype(object)
        least = numbers.min()  # `qcut` begins the first quarter below it
        categories[numbers.index] = quarters.map(
            lambda quarter: f"{max(quarter.left, least):g} to {quarter.right:g}"
        )
    else:
        frequent = cells.value_counts().index[:_COLOURS]
        categories[cells.index] = cells.where(cells.isin(frequent), "others").map(short)
    return categories.to_numpy()


def sexes(series: DataSet) -> list[Row]:
    """Compare the sex in a column of the phenotype with the genes of the X and Y chromosomes.

    A sample's score is the mean of RPS4Y1, KDM5D and DDX3Y less XIST, each standardised; it is male
    above the midpoint between the medians of both recorded sexes. There is no finding where one sex
    or the symbols are missing, or where the scores of the recorded sexes overlap so much that the
    genes do not separate them.
    """
    columns = _phenotype(series)
    names = [name for name in columns if _SEX.search(str(name))]
    score = _male_score(series) if names else None
    if score is None:
        return []
    rows = []
    for name in names:
        rows += sex_rows(series, columns[name], score)
    return rows


def sex_rows(series: DataSet, cells: pd.Series, score: np.ndarray) -> list[Row]:
    """Return the findings on one column of sexes; see `sexes`."""
    initials = cells.str.strip().str.lower().str[:1].to_numpy(dtype=str)
    male = initials == "m"
    female = initials == "f"
    if min(male.sum(), female.sum()) < 2:
        return []
    name = str(cells.name)
    male_median = np.median(score[male])
    female_median = np.median(score[female])
    deviations = np.concatenate([score[male] - male_median, score[female] - female_median])
    robust_sd = _MAD_TO_SD * np.median(np.abs(deviations))
    if male_median - female_median < _SEPARATED_SEXES * robust_sd:
        text = f"the genes of the sex chromosomes do not follow “{name}”"
        return [audit_row("sex not shown", name, "warning", text, remedy="check its values")]
    midpoint = (male_median + female_median) / 2
    wrong = ((score > midpoint) != male) & (male | female)
    if not wrong.any():
        n = counted(int((male | female).sum()), "sample")
        text = f"“{name}” agrees with the sex chromosomes in {n}"
        return [audit_row("sex agrees", name, "none", text, value=0.0)]
    rows = []
    for i in np.flatnonzero(wrong):
        text = (
            f"“{name}” is {cells.iloc[i]}, but {_FEMALE_GENE} and the genes of the Y chromosome "
            "are as in the other sex: the sample may be exchanged with another"
        )
        sample = str(series.samples[i])
        distance = float(score[i] - midpoint)  # positive: the genes are those of a male
        row = audit_row("sex differs", sample, "warning", text, other=name, value=distance)
        rows.append(row)
    return rows


def _male_score(series: DataSet) -> np.ndarray | None:
    """Return the score of `sexes` of each sample; None where the genes are not known.

    If a gene has several features, the one with the greatest mean is used. A feature of several
    genes (``TSIX///XIST``) is one of each of them.
    """
    names = pd.Series(series.features, dtype=str)
    genes = series.feature_metadata
    if genes is not None and "symbol" in genes:
        symbols = pd.Series(genes["symbol"].to_numpy(dtype=str))
        names = symbols.where(symbols != "", names)
    genes_of_feature = names.str.upper().map(split_genes)
    standardised = {}
    for gene in (_FEMALE_GENE, *_MALE_GENES):
        has_gene = np.array([gene in genes for genes in genes_of_feature], dtype=bool)
        rows = series.values[has_gene]
        rows = rows[~np.isnan(rows).any(axis=1)]
        if not len(rows):
            continue
        # A probe set with low values often measures nothing.
        values = rows[np.argmax(rows.mean(axis=1))]
        if values.std() == 0:
            continue
        if values.max() > _LARGEST_LOGARITHM:
            values = np.log2(np.maximum(values, 1.0))
        standardised[gene] = (values - values.mean()) / (values.std() or 1.0)
    if _FEMALE_GENE not in standardised or len(standardised) < 2:
        return None
    male_genes = [standardised[gene] for gene in _MALE_GENES if gene in standardised]
    return np.asarray(np.mean(male_genes, axis=0) - standardised[_FEMALE_GENE])


def _linear(series: DataSet) -> np.ndarray:
    """Return the values of the linear features, without a copy if all are linear."""
    linear = series.kinds == "linear"
    return series.values if linear.all() else series.values[linear]


def _repeated(series: DataSet) -> list[Row]:
    """Return samples that are equal or nearly equal and not in one group."""
    rows = []
    equal_pairs: set[tuple[int, int]] = set()
    for positions in repeated_samples(series.values, series.groups):
        equal_pairs.update(itertools.product(positions, positions))
        first, *others = (str(name) for name in series.samples[positions])
        for other in others:
            row = audit_row(
                "equal samples",
                first,
                "severe",
                "all values are the same",
                other=other,
                remedy="leave out all but one, or name a common column by group=",
                value=1.0,
            )
            rows.append(row)
    linear = _linear(series)
    if series.missing:
        linear = linear[~np.isnan(linear).any(axis=1)]
    if len(linear) < ENOUGH or not 3 <= series.n_samples <= _MOST_SAMPLES:
        return rows
    for (i, j), r in zip(*similar_samples(linear), strict=True):
        # replicates of one group may be alike, and equal samples are reported above
        same_group = series.groups is not None and series.groups[i] == series.groups[j]
        if (int(i), int(j)) in equal_pairs or same_group:
            continue
        row = audit_row(
            "nearly equal samples" if r >= _COPIES else "similar samples",
            str(series.samples[i]),
            "warning" if r >= _COPIES else "notice",
            "far more alike than either is to any other sample",
            other=str(series.samples[j]),
            detail="correlation after centring each feature",
            remedy="replicates or copies of one sample should share a group",
            value=float(r),
        )
        rows.append(row)
    return rows


def _categories(series: DataSet) -> list[np.ndarray]:
    """Return the columns of the phenotype that are categories, "" where a value is missing."""
    columns = []
    any_class = pd.Series(np.arange(series.n_samples).astype(str))
    phenotype = _phenotype(series)
    for name in phenotype:
        all_cells = phenotype[name]
        present = has_value(all_cells).to_numpy(dtype=bool)
        cells = all_cells.reset_index(drop=True)[present].str.strip()
        values = usable(any_class[present], cells)
        if values is not None and not pd.api.types.is_numeric_dtype(values):
            column = values.reindex(range(series.n_samples), fill_value="")
            columns.append(column.to_numpy(dtype=str))
    return columns


def _likely_repeats(series: DataSet) -> tuple[list[Row], pd.DataFrame]:
    """Return a finding on samples that are probably of the same patients, and their groups.

    The finding is a warning if a tenth of the samples or more are in such groups. It is severe if
    half of the samples have another one of their class in their group: training then has the
    patient with the label to predict. A patient with one sample of each class has the other label
    in training, which helps no classifier. Groups within one group of the series are named
    already, and are left out.
    """
    empty = table_of([], AUDIT_TABLES["likely_repeats"])
    linear = _linear(series)
    if series.missing:
        linear = linear[~np.isnan(linear).any(axis=1)]
    if series.n_samples > _MOST_SAMPLES:
        return [], empty
    repeats = likely_repeats(linear, series.labels, _categories(series))
    unnamed = repeats.group >= 0
    if series.groups is not None:
        for number in np.unique(repeats.group[unnamed]):
            members = repeats.group == number
            if len(np.unique(series.groups[members])) == 1:
                unnamed &= ~members
    share = float(unnamed.mean())
    if share < _FEW_REPEATS:
        return [], empty
    groups = pd.DataFrame(
        {
            "sample": series.samples[unnamed].astype(str),
            "class": series.labels[unnamed].astype(str),
            "group": [f"group {number + 1}" for number in repeats.group[unnamed].tolist()],
            "likeness": repeats.likeness[unnamed],
        }
    )
    n_groups = groups["group"].nunique()
    text = (
        f"{counted(int(unnamed.sum()), 'sample')} form {counted(n_groups, 'group')} that are far "
        "more alike than samples of different patients"
    )
    of_one_class = groups.groupby(["group", "class"])["sample"].transform("size") > 1
    are_many = int(of_one_class.sum()) / series.n_samples >= _MANY_REPEATS
    row = audit_row(
        "many likely repeats" if are_many else "likely repeats",
        "samples",
        "severe" if are_many else "warning",
        text,
        detail=(
            "correlation after removal of the class means: "
            f"{groups['likeness'].median():.2f} in the median"
        ),
        remedy="name their patients by group=; the table `likely_repeats` proposes groups",
        value=share,
    )
    return [row], groups


def _scale(series: DataSet) -> list[Row]:
    """Return findings on intensities without logarithms, counts, and samples of other scale."""
    linear = _linear(series)
    if len(linear) < ENOUGH:
        return []
    recognised, note = scale_of(linear, series.samples)
    severity = "none" if recognised is RecognisedScale.LOGARITHMS else "warning"
    quantile_99 = float(intensity_quantiles(linear)[4])
    scale = recognised.value
    return [audit_row(scale, scale, severity, note.finding, remedy=note.advice, value=quantile_99)]


def principal_components(series: DataSet) -> tuple[pd.DataFrame, list[Row]]:
    """Return the first components of the standardised features, their shares, and outliers.

    They are computed from the eigenvectors of the Gram matrix of the samples, which are those of a
    singular value decomposition. Features that are constant or have missing values are omitted. An
    outlier is a sample that is more than 6 robust standard deviations (1.4826 times the median
    absolute deviation) from the median of its class on one of the first three components. Values
    that look like intensities are replaced by their logarithms, those below 1 by 0.

    The components have the columns of the contract and further components, except that
    ``position``, the sample's position in the series, replaces the phenotype. If there are more
    than 1,000 samples, some are omitted.
    """
    n = series.n_samples
    positions = np.unique(np.linspace(0, n - 1, min(n, _MOST_SAMPLES)).astype(int))

    # The inner products of samples over standardised features, (n_positions, n_positions).
    features = _linear(series)
    gram = np.zeros((len(positions), len(positions)))
    not_logged = is_not_logged(intensity_quantiles(features))
    for block in row_slices((len(features), len(positions))):
        values = features[block][:, positions]
        if not_logged:
            values = np.log2(np.maximum(values, 1.0))
        spread = values.std(axis=1)
        varies = spread > 1e-12 * np.abs(values).max(axis=1, initial=0)
        is_usable = np.isfinite(spread) & varies
        values = values[is_usable]
        values -= values.mean(axis=1, keepdims=True)
        values /= spread[is_usable][:, None]
        gram += values.T @ values

    total = max(float(np.trace(gram)), 1e-300)
    n_components = min(_COMPONENTS, max(2, len(positions) - 1), len(positions))
    eigenvalues, vectors = np.linalg.eigh(gram)  # in ascending order
    eigenvalues = eigenvalues[::-1][:n_components].clip(min=0)
    vectors = vectors[:, ::-1][:, :n_components]
    # The sign of an eigenvector is arbitrary: its largest entry becomes positive.
    signs = np.sign(vectors[np.argmax(np.abs(vectors), axis=0), range(n_components)])
    scores = vectors * signs * np.sqrt(eigenvalues)
    labels = series.labels[positions]
    distances = _distances_from_class(scores[:, :_OUTLIER_COMPONENTS], labels)
    table = pd.DataFrame(
        {
            "sample": series.samples[positions],
            "class": labels,
            "component_1": scores[:, 0],
            "component_2": scores[:, 1] if n_components > 1 else np.zeros(len(positions)),
            "outlying": distances > _OUTLYING,
            "position": positions,
        }
    )
    for i in range(2, n_components):
        table[f"component_{i + 1}"] = scores[:, i]
    rows = []
    for i, share in enumerate((eigenvalues / total).tolist()):
        name = f"component {i + 1}"
        rows.append(audit_row("component", name, "none", "share of the variance", value=share))
    text = "far from its class in the first principal components (robust standard deviations)"
    outliers = table["sample"][table["outlying"]]
    for name, distance in zip(outliers, distances[table["outlying"]].tolist(), strict=True):
        rows.append(audit_row("outlier", str(name), "notice", text, value=distance))
    return table, rows


def _distances_from_class(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the largest distance of each sample from its class, in robust standard deviations.

    With fewer than ten samples there is no robust standard deviation, and all distances are 0.
    """
    if len(labels) < _FEWEST_FOR_OUTLIERS:
        return np.zeros(len(labels))
    deviations = scores.copy()
    for label in np.unique(labels):
        members = labels == label
        deviations[members] -= np.median(scores[members], axis=0)
    deviations = np.abs(deviations)
    spread = _MAD_TO_SD * np.median(deviations, axis=0)
    distances = np.divide(deviations, spread, out=np.zeros_like(deviations), where=spread > 0)
    return np.asarray(distances.max(axis=1))


def shared_by_series(paths: Mapping[str, str | Path]) -> pd.DataFrame:
    """Return the samples that two series of a study share, as rows of ``audit`` with ``dataset``.

    A series is represented by its 2,000 features with the smallest hashes of their names, which are
    the same features in all series of a platform. Only pairs of series with at least 100 of these
    features in common are compared.
    """
    if len(paths) < 2:
        return table_of([], STUDY_TABLES["audit"])
    fingerprints = {name: _fingerprint(path) for name, path in paths.items()}
    rows = []
    for one, other in itertools.combinations(fingerprints, 2):
        common = fingerprints[one].index.intersection(fingerprints[other].index)
        if len(common) < ENOUGH:
            continue
        first = fingerprints[one].loc[common]
        second = fingerprints[other].loc[common]
        samples = (first.columns.to_numpy(dtype=str), second.columns.to_numpy(dtype=str))
        shared = shared_samples(first.to_numpy(), second.to_numpy(), samples)
        for sample in shared.itertuples(index=False):
            row = audit_row(
                "sample in two series",
                str(sample.first),
                "warning",
                f"the same sample in two series, by {sample.by}: these are not independent",
                other=f"{other}: {sample.second}",
                value=float(sample.correlation),
            )
            rows.append({"dataset": one, **row})
    return table_of(rows, STUDY_TABLES["audit"])


def _fingerprint(path: str | Path) -> pd.DataFrame:
    """Return a series' features with the smallest hashes, samples in columns; empty if too many."""
    header = DataSet.read(path, values=False)
    empty = pd.DataFrame(columns=header.samples)
    if len(header.samples) > _MOST_SAMPLES or header.n_features < ENOUGH:
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
