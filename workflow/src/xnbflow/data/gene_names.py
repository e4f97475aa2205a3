"""Names of genes: which names of features are gene symbols, and which are several genes."""

import re
from collections.abc import Sequence

import numpy as np

#: Identifiers of probes that have the form of symbols: accessions of GenBank, controls, and
#: numbered ones.
_PROBE = r"[A-Z]\d{5}|[A-Z]{2}\d{6,8}|AFFX-.*|(GENE|GSM|PROBE|TC|V|X)\d+"
#: Form of human gene symbols: TP53, C9orf72, HLA-A.
_SYMBOL = re.compile(rf"(?!({_PROBE})\Z)[A-Z][A-Z0-9]+(orf[0-9]+)?(-[A-Z0-9]+)*")
#: Identifiers of one form: of Ensembl, RefSeq and miRBase, and probes of Affymetrix, Illumina and
#: Agilent.
_IDENTIFIER = re.compile(
    r"ENS[A-Z]*[GTP]\d{11}(\.\d+)?|[NX][MR]_\d+(\.\d+)?|[a-z]{3}-(mi[Rr]|let)-\S+|"
    r"\S+_at|ILMN_\d+|A_\d\d_P\d+|TC\w+\.hg\.1"
)
#: The letters before the first digit of a symbol.
_STEM = re.compile(r"[A-Z]+")
#: Least share of the names that are of genes, and of distinct stems among symbols: symbols of a few
#: families of genes have more, numbered names (M1, M2, ...) have one.
_LEAST_GENES = 0.9
_LEAST_STEMS = 0.25
#: Most names that are examined.
_MOST_NAMES = 2000


def is_symbol(name: str) -> bool:
    """Return whether the name of a feature has the form of a gene symbol.

    Examples
    --------
    >>> [is_symbol(name) for name in ("ABCB1", "C9orf72", "HLA-A", "1007_s_at", "X95735", "GENE12")]
    [True, True, True, False, False, False]
    """
    return _SYMBOL.fullmatch(name) is not None


def are_genes(features: Sequence[str] | np.ndarray) -> bool:
    """Return whether nearly all names of features have the form of genes, transcripts or probes.

    Symbols of mice, as Actb, have the form of other words and are no evidence.

    Examples
    --------
    >>> are_genes(["TP53", "MYC", "CD8A"]), are_genes(["hsa-miR-21-5p", "ENSG00000141510.18"])
    (True, True)
    >>> are_genes(["M1", "M2", "M3", "M4", "M5"]), are_genes(["age", "glucose", "TP53"])
    (False, False)
    """
    names = [str(name) for name in features[:_MOST_NAMES]]
    if not names:
        return False
    others = [name for name in names if not _IDENTIFIER.fullmatch(name)]
    n_identifiers = len(names) - len(others)
    if n_identifiers >= _LEAST_GENES * len(names):
        return True
    symbols = [name for name in others if _SYMBOL.fullmatch(name)]
    stems = {stem[0] for name in symbols if (stem := _STEM.match(name))}
    have_stems = len(stems) >= _LEAST_STEMS * len(symbols)
    return n_identifiers + len(symbols) >= _LEAST_GENES * len(names) and have_stems


def split_genes(text: str) -> list[str]:
    """Return the genes of a symbol, or of a name, that has several, as probes of related genes.

    Examples
    --------
    >>> split_genes("DDR1 /// MIR4640"), split_genes("TP53"), split_genes("---")
    (['DDR1', 'MIR4640'], ['TP53'], [])
    """
    genes = [gene.strip(" -") for gene in text.split("///")]
    return list(dict.fromkeys(filter(None, genes)))
