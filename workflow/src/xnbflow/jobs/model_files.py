"""The files of a model of all samples, which *models* and *cohorts* write."""

from pathlib import Path

from xnbflow.core.atomic import write_atomically
from xnbflow.data.dataset import DataSet
from xnbflow.models.final import model_tables
from xnbflow.models.model_file import write_model
from xnbflow.models.signature import gene_sets
from xnbflow.models.trained import TrainedModel
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import write_tables


def write_model_files(model: TrainedModel, series: DataSet, folder: Path, classifier: str) -> None:
    """Write a model, its gene sets and the tables of the group ``model``.

    ``classifier`` is the id that is the name of the first two.
    """
    write_model(model, folder / f"{classifier}.skops")
    lines = [
        f"{line}\n" for line in gene_sets(model.signature, series.name, model.series["digest"])
    ]
    path_of_sets = folder / f"{classifier}.gmt"
    write_atomically(path_of_sets, lambda part: part.write_text("".join(lines), encoding="utf-8"))
    write_tables(model_tables(model, series), folder, GROUPS["model"].tables)
