# What all rules share: the library, the checked configuration, and where things are.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(Path(workflow.current_basedir) / ".." / "src"))

from xnbflow.config import read_config, read_sheets
from xnbflow.errors import InputError
from xnbflow.provenance import source_digest


def found(path):
    """A path of the configuration: in the working directory, else beside the Snakefile."""
    return str(path) if Path(path).exists() else str(ROOT / path)


try:
    if not isinstance(config.get("sheets"), list):
        raise InputError(
            "configuration: key 'sheets' must list the sheets of data sets"
        )
    DATASETS = read_sheets([found(sheet) for sheet in config["sheets"]])
    CONFIG = read_config(
        config, ROOT / "workflow/schemas/config.schema.json", list(DATASETS)
    )
except InputError as error:
    raise WorkflowError(str(error)) from error


def report_of(study):
    return f"results/studies/{study}/report.html"


def batches(folds):
    return CONFIG.folds[folds].batches(CONFIG.folds_per_job)


def names(values):
    """A wildcard constraint that matches exactly the given names."""
    return "|".join(re.escape(value) for value in values) or "(?!)"


wildcard_constraints:
    dataset=names(DATASETS),
    folds=names(CONFIG.folds),
    classifier=names(CONFIG.classifiers),
    study=names(CONFIG.studies),
