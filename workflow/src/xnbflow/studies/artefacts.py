"""Known artefacts: genes of tissue handling, blood, sex and the like in lists of the best genes."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from xnbflow.core.significance import FDR_LEVEL
from xnbflow.studies.enrichment import gene_names, over_represented
from xnbflow.tables.contract import STUDY_TABLES

#: Length of a class's list by rank.
_TOP = 20
#: Least number of genes of the list of a set that is marked.
_FEWEST = 2
#: Features in which the genes of a list are found: several may be of one gene.
_PROBES = 1000


def artefacts(
    genes: Mapping[str, pd.DataFrame], signatures: Mapping[tuple[str, str], pd.DataFrame]
) -> pd.DataFrame:
    """Return the study's table ``artefacts``: known sets with genes in the lists of a class.

    ``genes`` is the table ``genes`` of each data set, of whose classes the first 20 genes by rank
    are a list; ``signatures`` is the table ``signature`` by data set and classifier, whose core
    sets are the others. The sets are those of ``artefacts.toml``. The background of the
    hypergeometric test is the measured genes. A set is ``marked`` if it is over-represented at a
    false discovery rate of .05 over the sets, with two genes of the list at least.
    """
    sets = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    members = {name: {*entry["genes"].split()} for name, entry in sets.items()}
    about = pd.DataFrame.from_dict(sets, orient="index")[["effect", "source"]]
    rows = []
    for dataset, table in genes.items():
        if table.empty:  # no feature is numeric
            continue
        every = table[table["class"] == table["class"].iloc[0]]  # each class ranks all features
        measured = set(gene_names(every).str.upper())
        measured_sets = {name: symbols & measured for name, symbols in members.items()}
        for key, chosen in _lists(dataset, table, signatures):
            overlaps = over_represented(chosen & measured, measured_sets, len(measured))
            overlaps = overlaps.join(about, on="gene_set")
            rows.append(overlaps.assign(dataset=dataset, **key))
    columns = STUDY_TABLES["artefacts"].fixed
    if not rows:
        return pd.DataFrame(columns=columns)
    table = pd.concat(rows, ignore_index=True)
    marked = (table["fdr"] <= FDR_LEVEL) & (table["overlap"] >= _FEWEST)
    return table.assign(marked=marked)[columns]


def _lists(
    dataset: str, table: pd.DataFrame, signatures: Mapping[tuple[str, str], pd.DataFrame]
) -> Iterator[tuple[dict[str, str], set[str]]]:
    """Yield the lists of a data set: class and classifier (empty for rank), and genes."""
    seen: list[set[str]] = []
    for label, rows in table.groupby("class"):
        first = gene_names(rows.nsmallest(_PROBES, "rank")).str.upper()
        best = first.drop_duplicates().head(_TOP)
        if set(best) not in seen:  # two classes have the same list
            seen.append(set(best))
            yield {"class": str(label), "classifier": ""}, seen[-1]
    for (dataset_of_model, classifier), signature in signatures.items():
        if dataset_of_model != dataset:
            continue
        core = signature[signature["core"].astype(bool)]
        for label, rows in core.groupby("class"):
            yield {"class": str(label), "classifier": classifier}, {*gene_names(rows).str.upper()}
