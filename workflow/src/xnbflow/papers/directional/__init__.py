"""Directional naive Bayes (Lopez-Cruz, Bielza and Larranaga): classifiers, data sets and study.

==========================  =====================================================================
file                        contents
==========================  =====================================================================
`von_mises`                 the distribution of angles (section 2.1)
`von_mises_fisher`          the distribution of unit vectors (section 2.2)
`categorical`               the distribution of categories
`mdlp`                      cut points by entropy (Fayyad and Irani)
`grouped`, `hybrid_nb`      naive Bayes over groups of columns (sections 3.4 and 3.5)
`von_mises_nb`              vMNB and vMFNB (sections 3.2 and 3.3)
`discretized_nb`            dNB (section 4.1)
`mutual_information`        the ranking of features (section 3.6, appendix 3)
`selective_nb`              SelvMNB and SelGNB (section 3.6)
`boundaries`                where two classes are equally probable (Theorems 1 to 3)
`angular`, `auslan`         data sets with angles
`compute`                   tables of the study: angles, complexity
`compute_examples`          tables of the study: the artificial examples
`compute_distributions`     tables of the study: samples of both distributions
`compute_comparison`        tables of the study: ranks and tests beside the printed ones
`section`, `drawings`       the page
`printed_tables`            the paper's Tables 1 to 6
==========================  =====================================================================
"""

from typing import NamedTuple

#: Adjustments of the p-values of pairs in the paper's Table 4: columns and names.
ADJUSTMENTS = {
    "nemenyi": "Nemenyi",
    "holm": "Holm",
    "shaffer": "Shaffer",
    "bergmann_hommel": "Bergmann-Hommel",
}

#: The paper's classifiers, as labels.
CLASSIFIERS = ("vMNB", "SelvMNB", "GNB", "SelGNB", "dNB")


class Counterpart(NamedTuple):
    """The paper's data set that corresponds to one of ours, and how similar they are."""

    name: str
    relation: str


#: The paper's counterparts of our data sets.
COUNTERPARTS = {
    "magic": Counterpart("MAGIC", "the same"),
    "auslan": Counterpart("Auslan", "the same signs; the choice of ten frames of each is ours"),
    "arrhythmia": Counterpart(
        "Arrhythmia", "the same source; the paper uses 174 of its features, we all 253"
    ),
    "covertype": Counterpart("Covertype", "another random sample of the same"),
    "protein-strand": Counterpart(
        "Protein1", "very probably the same task: helix or strand, by two angles; other chains"
    ),
    "protein-window": Counterpart(
        "Protein10", "the same task: 15 residues, 30 angles, 4 classes; other chains"
    ),
    "weather": Counterpart(
        "Temperature", "the same task: temperature by wind; another place and year"
    ),
}


def counterpart(dataset: str) -> Counterpart | None:
    """Return the paper's counterpart of our data set; None without one.

    A part of a data set is named after it with a suffix, such as ``covertype-sample``.

    Examples
    --------
    >>> counterpart("protein-window").name, counterpart("covertype-sample").name
    ('Protein10', 'Covertype')
    >>> counterpart("pigeons") is None
    True
    """
    for prefix, entry in COUNTERPARTS.items():
        if dataset == prefix or dataset.startswith(f"{prefix}-"):
            return entry
    return None


def counterpart_name(dataset: str) -> str | None:
    """Return the name of the paper's counterpart of our data set; None without one."""
    entry = counterpart(dataset)
    return entry.name if entry else None
