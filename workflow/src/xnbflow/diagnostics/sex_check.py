"""The recorded sex of samples, compared with genes of the X and Y chromosomes.

In 46 % of the series of one survey samples had the wrong sex (L. Toker, M. Feng and P. Pavlidis,
"Whose sample is it anyway? Widespread misannotation of samples in transcriptomics studies",
F1000Research 5, 2016, 2103): they were exchanged with others, and so may their classes be.
"""

import re

import numpy as np
import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.data.dataset import DataSet
from xnbflow.data.gene_names import split_genes
from xnbflow.diagnostics.features import MAD_TO_SD, is_unlogged, logged

#: Distance of the sexes, in robust standard deviations, below which genes do not separate them.
_SEPARATED_SEXES = 4.0
#: Names of columns with the sex: the word alone, or at the end of a name.
_SEX = re.compile(r"(^|[\s_.:\-])(sex|gender)$", re.IGNORECASE)
#: Genes that only females express (from the inactive X), and genes of the Y chromosome.
_FEMALE_GENE = "XIST"
_MALE_GENES = ("RPS4Y1", "KDM5D", "DDX3Y")


def sexes(series: DataSet) -> list[Finding]:
    """Compare the sex in a column of the phenotype with the genes of the X and Y chromosomes.

    A sample's score is the mean of RPS4Y1, KDM5D and DDX3Y less XIST, each standardised; it is male
    above the midpoint between the medians of both recorded sexes. There is no finding where one sex
    or the symbols are missing, or where the scores of the recorded sexes overlap so much that the
    genes do not separate them.
    """
    columns = pd.DataFrame() if series.sample_metadata is None else series.sample_metadata
    names = [name for name in columns if _SEX.search(str(name))]
    score = _male_score(series) if names else None
    if score is None:
        return []
    findings = []
    for name in names:
        findings += _sex_findings(series, columns[name], score)
    return findings


def _sex_findings(series: DataSet, cells: pd.Series, score: np.ndarray) -> list[Finding]:
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
    robust_sd = MAD_TO_SD * np.median(np.abs(deviations))
    if male_median - female_median < _SEPARATED_SEXES * robust_sd:
        return [Finding(code="samples", kind="sex not shown", dataset=series.name, subject=name)]
    midpoint = (male_median + female_median) / 2
    wrong = ((score > midpoint) != male) & (male | female)
    findings = []
    for i in np.flatnonzero(wrong):
        finding = Finding(
            code="samples",
            kind="sex differs",
            dataset=series.name,
            subject=str(series.samples[i]),
            other=name,
            detail=str(cells.iloc[i]),
            # positive: the genes are those of a male
            numbers={"estimate": float(score[i] - midpoint)},
        )
        findings.append(finding)
    return findings


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
    takes_logarithms = is_unlogged(series)
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
        if takes_logarithms:
            values = logged(values)
        standardised[gene] = (values - values.mean()) / (values.std() or 1.0)
    if _FEMALE_GENE not in standardised or len(standardised) < 2:
        return None
    male_genes = [standardised[gene] for gene in _MALE_GENES if gene in standardised]
    return np.asarray(np.mean(male_genes, axis=0) - standardised[_FEMALE_GENE])
