"""Overlaps of gene sets with the genes of a class.

The hypergeometric probability of an overlap takes genes for independent, which they are not: it
orders the sets, and is no evidence. `xnbflow.studies.gene_set_tests` has the test.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import gammaln

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.data.dataset import refuse_control_characters
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.sources.formats.files import open_raw
from xnbflow.tables.contract import STUDY_TABLES

#: Most genes of a class.
_TOP = 200
#: Least and largest number of measured genes of a set that is tested.
SIZES = (5, 500)


def read_gene_sets(*paths: str | Path) -> dict[str, set[str]]:
    """Read GMT files: a set per line, its name, a description and its genes, separated by tabs.

    A line without genes, a second one with the same name in any file, and a name with control
    characters are an `InputError`.
    """
    sets: dict[str, set[str]] = {}
    for path in paths:
        with about_file(path):
            _read_sets(Path(path), sets)
    return sets


def _read_sets(path: Path, sets: dict[str, set[str]]) -> None:
    """Add the gene sets of a GMT file to ``sets``, by name."""
    with open_raw(path) as stream:
        for number, raw in enumerate(stream, 1):
            where = f"{path}, line {number}"
            try:
                name, *rest = (cell.strip() for cell in raw.decode("utf-8-sig").split("\t"))
            except UnicodeDecodeError as error:
                msg = f"{where}: not UTF-8 text; save the file as UTF-8"
                raise InputError(msg) from error
            if not any((name, *rest)):
                continue
            refuse_control_characters(where, "name of the set", [name])
            genes = set(rest[1:]) - {""}
            if not genes or name in sets:
                wrong = "has the name of an earlier set" if name in sets else "has no genes"
                msg = (
                    f"{where}: {quoted(name)} {wrong}. A GMT file has a set per line: "
                    "name, description and genes, separated by tabs"
                )
                raise InputError(msg)
            sets[name] = genes


def enrichment(
    genes: Mapping[str, pd.DataFrame],
    signatures: Mapping[tuple[str, str], pd.DataFrame],
    sets: Mapping[str, set[str]],
) -> pd.DataFrame:
    """Count the genes of each class in gene sets.

    ``genes`` is the table ``genes`` of each data set: of each class the first 200 genes by rank
    that are higher in it at a false discovery rate below 0.05 are used. Features without a symbol
    have their own name; those of several genes (``///``) are ignored. ``signatures`` is the table
    ``signature`` by data set and classifier; of the ``sets`` those with 5 to 500 measured genes are
    compared. The result is the study's table ``enrichment``: sets with at least one of the genes.
    The background is the measured genes. If no data set has any gene of the sets, it is an
    `InputError`.
    """
    parts = []
    is_any_measured = False
    for dataset, table in genes.items():
        measured = set(gene_names(table))
        measured_sets = {name: members & measured for name, members in sets.items()}
        is_any_measured |= any(measured_sets.values())
        tested = {
            name: members
            for name, members in measured_sets.items()
            if SIZES[0] <= len(members) <= SIZES[1]
        }
        for by, label, chosen in _gene_choices(dataset, table, signatures):
            overlaps = over_represented(chosen & measured, tested, len(measured))
            parts.append(overlaps.assign(**{"dataset": dataset, "class": label, "by": by}))
    if genes and not is_any_measured:
        msg = (
            f"no gene of the gene sets is measured in {', '.join(genes)}: sets and features must "
            "name genes alike. Give probes their symbols by annotation"
        )
        raise InputError(msg, key="gene_sets")
    columns = STUDY_TABLES["enrichment"].fixed
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def gene_names(table: pd.DataFrame) -> pd.Series:
    """Return the symbols of features, or their names without one; not those of several genes."""
    names = table["symbol"].where(table["symbol"] != "", table["feature"])
    return names[~names.str.contains("///", regex=False)]


def _gene_choices(
    dataset: str, table: pd.DataFrame, signatures: Mapping[tuple[str, str], pd.DataFrame]
) -> Iterator[tuple[str, str, set[str]]]:
    """Yield the choice of genes (a classifier, or empty for rank), their class and names."""
    for label, rows in table.groupby("class"):
        higher = rows[(rows["fdr"] < FDR_LEVEL) & (rows["difference"] > 0)].sort_values("rank")
        yield "", str(label), set(gene_names(higher).drop_duplicates().head(_TOP))
    for (dataset_of_model, classifier), signature in signatures.items():
        if dataset_of_model == dataset:
            for label, rows in signature.groupby("class"):
                yield classifier, str(label), set(gene_names(rows))


def over_represented(chosen: set[str], sets: Mapping[str, set[str]], measured: int) -> pd.DataFrame:
    """Test the number of chosen genes in each set by the hypergeometric distribution."""
    shared = [sorted(chosen & members) for members in sets.values()]
    size = np.array([len(members) for members in sets.values()], dtype=int)
    overlap = np.array([len(genes) for genes in shared], dtype=int)
    expected = size * len(chosen) / max(1, measured)
    p = probability_of_overlap(overlap, size, chosen=len(chosen), measured=measured)
    table = pd.DataFrame(
        {
            "gene_set": list(sets),
            "set_size": size,
            "chosen": len(chosen),
            "overlap": overlap,
            "fold": np.divide(overlap, expected, out=np.zeros(len(size)), where=expected > 0),
            "p": p,
            "fdr": benjamini_hochberg(p),
            "genes": [" ".join(genes) for genes in shared],
        }
    )
    table = table[table["overlap"] > 0].sort_values("p", kind="stable")
    return table.assign(rank=np.arange(1, len(table) + 1))


def probability_of_overlap(
    overlap: np.ndarray, size: np.ndarray, *, chosen: int, measured: int
) -> np.ndarray:
    """Return the probability of an overlap or a larger one, for a random choice of genes.

    Of ``measured`` genes ``chosen`` ones are drawn without replacement; the number of those in a
    set of ``size`` genes has the hypergeometric distribution. This is
    ``scipy.stats.hypergeom.sf(overlap - 1, measured, size, chosen)`` to ten digits, without the
    import of `scipy.stats`, which takes longer than the job that calls this.

    Examples
    --------
    Both genes of a set among two of four: one choice of six.

    >>> probability_of_overlap(np.array([2]), np.array([2]), chosen=2, measured=4).round(6)
    array([0.166667])
    """
    p = np.zeros(len(overlap))
    for i, (fewest, n_members) in enumerate(zip(overlap.tolist(), size.tolist(), strict=True)):
        # at least this many of the set are drawn where the other genes are fewer than the choice
        least = max(fewest, chosen - (measured - n_members))
        k = np.arange(least, min(n_members, chosen) + 1)
        log_p = (
            _log_choices(n_members, k)
            + _log_choices(measured - n_members, chosen - k)
            - _log_choices(measured, np.array(chosen))
        )
        p[i] = np.exp(log_p).sum()
    return p.clip(max=1.0)


def _log_choices(n: int, k: np.ndarray) -> np.ndarray:
    """Return the logarithm of the number of choices of k out of n."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
