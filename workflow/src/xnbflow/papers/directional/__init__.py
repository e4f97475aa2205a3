"""Directional naive Bayes: its study beyond the common tables, and its section."""

#: Ways to adjust p-values of pairs: columns and names.
ADJUSTED = {
    "nemenyi": "Nemenyi",
    "holm": "Holm",
}

#: The paper's classifiers, as labels.
CLASSIFIERS = ("vMNB", "SelvMNB", "GNB", "SelGNB", "dNB")

#: The paper's counterparts of our data sets, and their similarity.
COUNTERPARTS = {
    "magic": ("MAGIC", "the same"),
    "arrhythmia": ("Arrhythmia", "the same source; the paper counts 174 of its features"),
    "covertype": ("Covertype", "another random sample of the same"),
    "protein-strand": (
        "Protein1",
        "very probably the same task: helix or strand, by two angles; other chains",
    ),
    "protein-window": (
        "Protein10",
        "the same task: 15 residues, 30 angles, 4 classes; other chains",
    ),
    "weather": ("Temperature", "the same task: temperature by wind; another place and year"),
}


def counterpart(dataset: str) -> str | None:
    """Return the paper's counterpart of our data set; None without one.

    Examples
    --------
    >>> counterpart("protein-window"), counterpart("covertype-sample"), counterpart("pigeons")
    ('Protein10', 'Covertype', None)
    """
    key = counterpart_key(dataset)
    return COUNTERPARTS[key][0] if key else None


def counterpart_key(dataset: str) -> str | None:
    """Return the entry of `COUNTERPARTS`; a part of a data set has its name with a suffix."""
    return next((k for k in COUNTERPARTS if f"{dataset}-".startswith(f"{k}-")), None)
