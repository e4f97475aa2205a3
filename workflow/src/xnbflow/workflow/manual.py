"""The manual of the results, generated from the contract: ``python -m xnbflow.workflow.manual``."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from xnbflow.data.atomic import write_atomically
from xnbflow.data.contract import (
    ANALYSIS,
    BATCH,
    CHECK_TABLES,
    CLASSIFIER,
    DESCRIPTION,
    DESCRIPTION_TABLES,
    DIAGNOSTIC,
    DIAGNOSTIC_TABLES,
    DOWNLOADS,
    FIGURES,
    FOLDS,
    FOLDS_TABLE,
    GENE_SETS,
    INDEX,
    JOBS,
    LOCK,
    MANUAL,
    MODEL,
    MODEL_TABLES,
    MODELS,
    NOTES,
    NOTES_TABLE,
    PAPER,
    PERMUTATION_TABLES,
    PERMUTED,
    PICTURES,
    REPORT,
    SERIES,
    STUDY,
    STUDY_TABLES,
    TRAINING_TABLES,
    TRUTH,
    TRUTH_TABLE,
    VALIDATION,
    VALIDATION_TABLES,
    Column,
    TableSchema,
    analysis_tables,
    benchmark_of,
    log_of,
)
from xnbflow.studies.registry import OWN_ANALYSES

__all__ = ["results_manual"]

_HEAD = """\
# Tables of results

Everything the workflow makes, one tidy Parquet file per arrow; nothing passes beside them. Not
tracked. `pandas.read_parquet` reads every one. This page is generated (`make manual`) from
`workflow/src/xnbflow/data/contract.py` and the files `tables.toml`, which the workflow itself takes
every path and column from.

* Only files that the configuration declares are read. What another scheme of folds left in a
  classifier's folder is removed from it.
* A file appears whole or not at all, and carries checksums of all it holds. One that is damaged, or
  made by another version, is refused by its name: delete it and run the workflow again with it as
  a target (`snakemake --cores all results/...`), then without.
* A `number` is a float64 and may be missing, an `integer` is an int64 and never is, nor is `text`.
  A column named `...{class}` or `{parameter}` stands for one per class or parameter.
"""

_SERIES = f"""\
Beside them `{SERIES}`: the data set, a row per feature; see `xnbflow.data.dataset`.
`{LOCK}` has the checksums of the downloads that it was accepted from: a later run,
or somebody else's with this file, refuses others.
"""

_RESOURCES = f"""\
Downloads are in `{DOWNLOADS}/`, a folder per source; the tables that papers print in
`{PAPER}/`. A file `.snakemake_timestamp` in a folder is Snakemake's.
"""

_TRAINED = f"""\
A scheme has its own folder, because studies share results and may cut the same data set
differently. With `folds_per_job` a training job runs a batch of folds and writes
`{BATCH}`; the
files below are put together from these batches.
"""

_MODELS = f"""\
Of the classifiers that a study names under `final:`: `{MODEL}` (read by `xnbflow`
and `xnbflow.models.read_model`), `{GENE_SETS}`, and each table as Parquet and TSV.
"""

_STUDY = f"""\
`{REPORT}` (`{INDEX}` leads to all of them),
`{FIGURES}/{{section}}/{{figure}}.svg`, when asked for
`{PICTURES}/{{section}}/{{figure}}.png`, and each table as Parquet and TSV. All but
`seconds`, and `fit_seconds` of `averages`, are the same, byte for byte, however many cores made
them. `folds` is the scheme.
"""


#: A bar that does not end a cell.
_BAR = "\\|"


def results_manual() -> str:
    """Return the text of ``results/README.md``: every table with its columns."""
    parts = [
        _HEAD,
        f"## Per data set: `{DIAGNOSTIC}`\n",
        *_tables(DIAGNOSTIC_TABLES.values()),
        _SERIES,
        f"## Per data set: `{NOTES}`\n",
        *_tables([NOTES_TABLE]),
        f"## Per data set, empty where nothing was planted: `{TRUTH}`\n",
        *_tables([TRUTH_TABLE]),
        f"## Per data set and scheme of folds: `{FOLDS}`\n",
        *_tables([FOLDS_TABLE]),
        f"## Per classifier: `{CLASSIFIER}/{{table}}.parquet`\n\n{_TRAINED}",
        *_tables(TRAINING_TABLES.values()),
        *_tables(CHECK_TABLES.values()),
        f"## Models of all samples: `{MODELS}/{{classifier}}.{{table}}.parquet`\n\n{_MODELS}",
        *_tables(MODEL_TABLES.values()),
        f"## Per study: `{STUDY}/`\n\n{_STUDY}",
        *_tables(STUDY_TABLES.values()),
        f"## Of single features and samples: `{DESCRIPTION}/`\n\nEach as Parquet and TSV.\n",
        *_tables(DESCRIPTION_TABLES.values()),
        f"## Models in a second cohort: `{VALIDATION}/`\n\nEach as Parquet and TSV.\n",
        *_tables(VALIDATION_TABLES.values()),
        f"## Per permutation test: `{PERMUTED}`\n",
        *_tables(PERMUTATION_TABLES.values()),
        f"## Per analysis of a study: `{ANALYSIS}/`\n\nEach table as Parquet and TSV.\n",
        *_analyses(),
        f"## What all of this is made from\n\n{_RESOURCES}",
        "## Logs and measurements\n\nA file per job.\n",
        "| rule | log | seconds and memory |\n|---|---|---|",
        *(f"| {rule} | `{log_of(rule)}` | `{benchmark_of(rule)}` |" for rule in JOBS),
    ]
    return "\n".join(parts) + "\n"


def _analyses() -> Iterator[str]:
    for name, analysis in OWN_ANALYSES.items():
        yield f"### `{name}`\n"
        yield from _tables(analysis_tables(analysis).values())


def _tables(tables: Iterable[TableSchema]) -> Iterator[str]:
    yield "| table | what it holds | a row is | columns |\n|---|---|---|---|"
    for table in tables:
        columns = "; ".join(_column(name, column) for name, column in table.columns.items())
        cells = (f"`{table.name}`", table.title, table.row, columns)
        yield f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |"
    yield ""


def _column(name: str, column: Column) -> str:
    """Return a column in words.

    Examples
    --------
    >>> _column("cut", STUDY_TABLES["diagnostics"].columns["cut"])
    '`cut` (number): dependent means |r| above it'
    """
    said = f": {column.meaning}" if column.meaning else ""
    return f"`{name}` ({column.type}){said}"


if __name__ == "__main__":
    place = Path(__file__).parents[4] / MANUAL
    write_atomically(place, lambda part: part.write_text(results_manual(), encoding="utf-8"))
