"""The files of a model of all samples, which *models* and *combine* write."""

from pathlib import Path

from xnbflow.core.atomic import write_atomically
from xnbflow.data.dataset import DataSet
from xnbflow.models.final import model_tables
from xnbflow.models.model_file import write_model
from xnbflow.models.signature import gene_sets
from xnbflow.models.trained import TrainedModel
from xnbflow.tables.contract import MODEL_TABLES
from xnbflow.tables.earlier import remove_earlier_model
from xnbflow.tables.storage import digest_of_file, write_parquet, write_tsv


def write_model_files(
    model: TrainedModel, series: DataSet, folder: Path, classifier: str, digest: str = ""
) -> None:
    """Write a model, its gene sets and each of `MODEL_TABLES` as Parquet and as text.

    ``classifier`` is the id that is the name of the first two. The ``digest`` is that of the
    series' file, see `xnbflow.tables.storage.digest_of_file`. The signature has the digest of its
    gene sets, since these files have none. What an earlier version wrote is removed.
    """
    write_model(model, folder / f"{classifier}.skops")
    lines = [
        f"{line}\n" for line in gene_sets(model.signature, series.name, model.series["digest"])
    ]
    path_of_sets = folder / f"{classifier}.gmt"
    write_atomically(path_of_sets, lambda part: part.write_text("".join(lines), encoding="utf-8"))
    digests_of_sets = {"signature": digest_of_file(path_of_sets)}
    for name, table in model_tables(model, series).items():
        schema = MODEL_TABLES[name]
        digest_of_sets = digests_of_sets.get(name, "")
        write_parquet(table, folder / f"{name}.parquet", schema, digest, digest_of_sets)
        write_tsv(table, folder / f"{name}.tsv", schema)
    remove_earlier_model(classifier, folder.parent)
