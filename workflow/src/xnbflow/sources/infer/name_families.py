"""Which names of columns are of one family: the identifiers or the symbols of a table's features.

The family of a name is its pattern, or the name with 9 for its number if a fifth of
all names have that (``gene9``, ``ENSG9``). The families of the block of features
(`xnbflow.sources.infer.feature_block`) are the common ones. If they hold too few columns, as in a
table of metabolites or of questions, names decide nothing.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xnbflow.sources.formats.cell_texts import is_date

#: Least share of all columns of a family that is a name without its numbers, as ``gene9``.
_STEM_SHARE = 0.2
#: Least size of a family of the block, relative to its largest family.
_FAMILY_SHARE = 0.2
#: Least share of all columns that the families of the block hold; else names decide nothing.
_NAMED_SHARE = 0.75
#: Least share of all columns in a block of strict names: identifiers of one form, no symbols.
_STRICT_SHARE = 0.9
#: Least number of symbols that may be features beside identifiers of another form.
_MANY_SYMBOLS = 5
#: Largest share of columns with words among a block of names without words.
_MOST_WORDS = 0.05

#: Symbols of genes: 2 to 12 letters and digits, capitals as in humans, or a capital first as in
#: mice; parts may be joined, as in HLA-A and RP11-34P13.7, and so may the genes of one probe, as in
#: DDR1 /// MIR4640, the first row of many tables.
_CAPITAL_SYMBOL = re.compile(r"(?=\d*[A-Z])[A-Z0-9]{2,12}")
_TITLE_SYMBOL = re.compile(r"[A-Z][a-z0-9]{1,11}(-[A-Za-z0-9]+)*")
_OPEN_FRAME = re.compile(r"C[0-9XY]+orf\d+")
_JOINED_SYMBOL = re.compile(r"[A-Z0-9]+(([-.|;]| /// )[A-Z0-9]+)+")
#: Names that only a gene, transcript or protein has, in a form of their own among other symbols or
#: identifiers: miRBase (let-7 beside miR-21), clones of RIKEN, mitochondrial genes of mice,
#: UniProt, and RNA in Ensembl.
_GENE = re.compile(
    r"[a-z]{3}-(let|lin|mi[Rr])-?\d\S*|"
    r"\d{7}[A-Z]\d\dRik|mt-(Atp|Co|Cytb|Nd|Rnr|T)\w*|"
    r"([OPQ]\d[A-Z0-9]{3}\d|[A-NR-Z]\d([A-Z][A-Z0-9]{2}\d){1,2})(-\d+)?|"
    r"\d(_\d)?S_rRNA|Metazoa_SRP|Vault|snoU\d+|uc_\d+"
)
#: Measurements of samples whose abbreviations have the form of symbols, and are none of genes.
_MEASUREMENTS = frozenset(
    {"AGE", "BMI", "DFS", "DIN", "DOSE", "DV200", "HGB", "OS", "PFS", "PMI", "RBC", "RIN", "RINE"}
    | {"RQN", "TIME", "WBC"}
)
#: Small letters after an optional capital, which are neither beside digits nor beside capitals
#: except those of the next word.
_WORD = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][a-z]{2,}(?![a-z0-9]|[A-Z]{2}|[A-Z]$)")
#: Names whose letters are one prefix of a number, as in ``ENSG9`` and ``cg9``; symbols with one
#: prefix, as ZNF100, are like other symbols, unless the prefix is no gene's, as in ``GENE9``.
_NUMBERED = re.compile(r"[A-Za-z]+([_.-]?9)+")
_NUMBERED_WORD = re.compile(
    r"(gene|probe|feature|transcript|protein|var|[a-z])[_.-]?9", re.IGNORECASE
)


def are_numbered(names: Sequence[str]) -> bool:
    """Return whether names differ by their numbers alone.

    Examples
    --------
    >>> are_numbered(["gene1", "gene2"]), are_numbered(["alcohol", "ash"])
    (True, False)
    """
    stems = {re.sub(r"\d+", "9", name) for name in names}
    return len(stems) == 1 and "9" in stems.pop()


def families_of(names: Sequence[str]) -> list[str]:
    """Return the family of each name of a table.

    It is ``SYM`` for a symbol, else the pattern of the name: its letters and digits generalised, or
    only its number, if many names have this pattern.

    Examples
    --------
    >>> families_of(["TP53", "C19orf39", "HLA-A", "RIN", "1007_s_at", "121_at", "tumour_size"])
    ['SYM', 'SYM', 'SYM', 'A', '9_a', '9_a', 'a_a']
    >>> families_of(["age", "gene1", "gene2"]), families_of(["ENSG00000141510", "ENSG00000146648"])
    (['a', 'gene9', 'gene9'], ['ENSG9', 'ENSG9'])
    """
    n_least = max(2.0, _STEM_SHARE * len(names))
    stems = [re.sub(r"\d+", "9", name) for name in names]
    counts = Counter(stems)
    # Symbols of mice have a capital first; a table of human symbols has few such names.
    n_titles = sum(_TITLE_SYMBOL.fullmatch(name) is not None for name in names)
    are_titles = 2 * n_titles > len(names)
    families = []
    for name, stem in zip(names, stems, strict=True):
        forms = (_CAPITAL_SYMBOL, _OPEN_FRAME, _JOINED_SYMBOL)
        is_symbol = any(form.fullmatch(name) for form in forms) and name not in _MEASUREMENTS
        family = "SYM"
        if not is_symbol:
            letters = re.sub("[a-z]+", "a", re.sub("[A-Z]+", "A", name))
            family = re.sub("(_a)+", "_a", re.sub(r"\d+", "9", letters))  # 1007_s_at and 121_at
        is_numbered = _NUMBERED.fullmatch(stem) and family != "SYM"
        is_common = counts[stem] >= n_least
        if is_common and (is_numbered or _NUMBERED_WORD.fullmatch(stem)):
            family = stem
        elif are_titles and _TITLE_SYMBOL.fullmatch(name):
            family = "SYM"
        families.append(family)
    return families


@dataclass(frozen=True, kw_only=True)
class BlockNames:
    """Which names are those of the block; arrays of bool, shape (n_columns,).

    Attributes
    ----------
    are_common : ndarray of bool
        Whether a name is of the block's families.
    are_words : ndarray of bool
        Whether a name is none of the block, even among it: it has words, and the block has none;
        or the block has identifiers of one form, and the name has another.
    are_symbols : ndarray of bool
        Whether a name is one of many symbols, where most names are identifiers of another form:
        features without a symbol may keep their identifier.
    are_strict : ndarray of bool
        Whether a name is an identifier of this one form. Where most names have one ending, as
        ``hum_alu_at`` and ``AB000409_at``, a name with it is common.
    """

    are_common: np.ndarray
    are_words: np.ndarray
    are_symbols: np.ndarray
    are_strict: np.ndarray

    @classmethod
    def of(cls, names: Sequence[str], families: Sequence[str]) -> "BlockNames":
        """Compare the names of all columns, and their families."""
        counts = Counter(families)
        ((largest, most),) = counts.most_common(1)
        common = {family for family, count in counts.items() if count >= _FAMILY_SHARE * most}
        # Symbols that are dates, as "2-Sep", are features as well.
        are_common = np.array(
            [
                family in common or is_date(name) or _GENE.fullmatch(name) is not None
                for name, family in zip(names, families, strict=True)
            ]
        )
        none = np.zeros(len(names), dtype=bool)
        if are_common.mean() < _NAMED_SHARE:  # names of metabolites, questions, ...
            return cls(are_common=~none, are_words=none, are_symbols=none, are_strict=none)

        is_strict = largest != "SYM" and most >= _STRICT_SHARE * len(names)
        prefix = largest.partition("9")[0] or "9"
        endings = [re.split(r"[^A-Za-z0-9]", name)[-1] for name in names]
        ((ending, n_endings),) = Counter(endings).most_common(1)
        if not is_strict and ending and n_endings >= _STRICT_SHARE * len(names):
            are_common |= np.array([name_ending == ending for name_ending in endings])
        repeats = Counter(names)
        are_words = none.copy()
        for i in np.flatnonzero(~are_common).tolist():
            name = names[i]
            # "Y_RNA" is the name of many genes, and "ENSG00000182378_PAR_Y" has the form of the
            # others.
            if repeats[name] > 1:
                continue
            is_alike = re.sub(r"\d+", "9", name).startswith(prefix)
            are_words[i] = _WORD.search(name) is not None or (is_strict and not is_alike)
        if are_words.mean() > _MOST_WORDS:
            are_words[:] = False
        has_many_symbols = "SYM" not in common and counts["SYM"] >= _MANY_SYMBOLS
        are_symbols = np.array([has_many_symbols and family == "SYM" for family in families])
        are_strict = np.array([is_strict and family == largest for family in families])
        return cls(
            are_common=are_common,
            are_words=are_words,
            are_symbols=are_symbols,
            are_strict=are_strict,
        )
