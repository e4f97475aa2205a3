# What all rules share: the library, the checked configuration, and where things are.
import atexit
import gc
from pathlib import Path

from snakemake.common import get_function_params, overwrite_function_params
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

SCHEMA = ROOT / "workflow/schemas/config.schema.json"
# A graph of many thousand jobs is no garbage: it is not looked through while it is made (`prepare_start`
# lets that begin again), nor taken apart when the process that made it ends.
gc.disable()
atexit.register(gc.freeze)

#: Of another workflow that imports this one (`module`), else of this one: what changes paths and names.
MODIFIER = workflow.modifier
#: The `prefix` of that module, before every path of a rule.
PREFIX = MODIFIER.path_modifier.replace_prefix("")
if not MODIFIER.is_main_snakefile():
    # Snakemake hands a module the caller's configuration alone: lay it over ours, as --configfile
    # is, its sheets over our own.
    defaults = load_configfile(str(ROOT / "config/config.yaml"))
    OWN_SHEETS = [str(ROOT / sheet) for sheet in defaults["sheets"]]
    sheets = OWN_SHEETS + config.get("sheets", [])
    update_config(defaults, config)
    config = {**defaults, "sheets": sheets}  # the caller's own may serve other modules
else:
    OWN_SHEETS = []

import xnbflow
from xnbflow.studies.registry import analysis_modules, known_analyses
from xnbflow.workflow.config import Batch, check_schema, read_config, read_sheets
from xnbflow.data.contract import (
    ANALYSIS,
    BATCH,
    COMPILED,
    DESCRIPTION_TABLE,
    DESCRIPTION_TABLES,
    DIAGNOSTIC,
    DIAGNOSTIC_TABLES,
    FIGURES,
    FOLDS,
    GATHERED_TABLES,
    GENE_SETS,
    INDEX,
    LOCK,
    MODEL,
    MODEL_TABLE,
    MODEL_TABLES,
    NOTES,
    PAPER,
    PERMUTATION_TABLES,
    PERMUTED,
    PICTURES,
    REPORT,
    SERIES,
    STUDY_TABLE,
    STUDY_TABLES,
    TRAINED,
    TRAINING_TABLES,
    TRUTH,
    VALIDATION_TABLE,
    VALIDATION_TABLES,
    benchmark_of,
    log_of,
    text_of,
)
from xnbflow.data.errors import InputError
from xnbflow.workflow.jobs import import_from
from xnbflow.data.plugins import plugin_modules
from xnbflow.report.outline import section_modules
from xnbflow.workflow.wildcards import exactly

import_from(LIBRARY)
if not Path(xnbflow.__file__).is_relative_to(ROOT):
    raise WorkflowError(
        f"the workflow in {ROOT} found xnbflow in {Path(xnbflow.__file__).parent}: two modules of one "
        "workflow must be the same checkout of xnbflow"
    )


def found(path):
    """A path of the configuration: in the working directory, else beside the Snakefile."""
    if not Path(path).exists():
        return str(ROOT / path)
    return str(Path(path).absolute()) if PREFIX else str(path)


def inspected(function):
    """A function of a rule, of which Snakemake need not find out before each call what it takes."""
    overwrite_function_params(function, get_function_params(function))
    return function


def own_file(path, what):
    """A file that the user names in a sheet or in the configuration."""
    if not Path(found(path)).is_file():
        places = " or ".join(dict.fromkeys(map(str, (Path(path).absolute(), ROOT / path))))
        raise WorkflowError(f"{what}: no such file: {places}; correct the path")
    return found(path)


try:
    check_schema(config, SCHEMA)
    DATASETS, SHEETS = read_sheets(
        {sheet: found(sheet) for sheet in config["sheets"]}, defaults=OWN_SHEETS
    )
    CONFIG = read_config(
        config,
        SCHEMA,
        list(DATASETS),
        look_up_paths=workflow.is_main_process,
    )
except InputError as error:
    raise WorkflowError(str(error)) from error


#: The tables that the papers print.
PRINTED = Path(found(PAPER)) if MODIFIER.is_main_snakefile() else ROOT / PAPER


def published(*names):
    return [str(PRINTED / f"{name}.tsv") for name in names]


SIMULATED = [name for name, row in DATASETS.items() if row.source == "simulate"]
ACQUIRED = [name for name in DATASETS if name not in SIMULATED]


wildcard_constraints:
    dataset=exactly(DATASETS),
    folds=exactly(CONFIG.folds),
    classifier=exactly(CONFIG.classifiers),
    study=exactly(CONFIG.studies),
