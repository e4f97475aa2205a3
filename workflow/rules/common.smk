# Common parts of all rules: the checked configuration, and resources of jobs.
import re
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

from xnbflow.tables.contract import *
from xnbflow.core.errors import InputError
from xnbflow.evaluation.methods import known_methods
from xnbflow.running.config import check_schema, read_config, read_sheets
from xnbflow.running.needs import asked, cpus_for
from xnbflow.running.project import default_configuration, default_sheets
from xnbflow.running.provenance import source_digests

#: The configuration of the papers and the project, and over it that of --configfile, --config or the caller of this module.
defaults = default_configuration(ROOT)
update_config(defaults, config)
config = defaults
SCHEMA = ROOT / "workflow/schemas/config.schema.json"


def found(path):
    """A path of the configuration: in the working directory, else in the project."""
    return Path(path) if Path(path).exists() else ROOT / path


try:
    check_schema(config, SCHEMA)
    sheets = {sheet: found(sheet) for sheet in config["sheets"]}
    named = {path.resolve() for path in sheets.values()}
    own = {
        sheet: path for sheet, path in default_sheets(ROOT).items() if path.resolve() not in named
    }
    DATASETS, SHEETS = read_sheets(own | sheets, defaults=own)
    CONFIG = read_config(config, SCHEMA, list(DATASETS))
except InputError as error:
    raise WorkflowError(str(error)) from error


def exactly(names):
    """A regular expression that matches the given names only."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    dataset=exactly(DATASETS),
    folds=exactly(CONFIG.folds),
    classifier=exactly(CONFIG.classifiers),
    study=exactly(CONFIG.studies),


def study_of(wildcards):
    return CONFIG.studies[wildcards.study]


def own_file(path, what):
    """A local file of the project, or one that a sheet or the configuration names."""
    if not found(path).is_file():
        places = " or ".join(dict.fromkeys(map(str, (Path(path).absolute(), ROOT / path))))
        raise WorkflowError(f"{what}: no such file: {places}; correct the path")
    return local(str(found(path)))


def prefix():
    """The `prefix:` of the module statement that imports this workflow, for every path of a rule."""
    return rules.acquire.output.series.removesuffix(SERIES)


def classes(pairs):
    """The import paths of the classes of classifiers, each with its data set."""
    names = {name for pair in pairs for name in CONFIG.methods(*pair)}
    known = known_methods()
    return sorted({known[name].estimator if name in known else name for name in names})


def memory(mb, per_mb, size=lambda wildcards, input: input.size_mb):
    """MB for a job: a constant, and more for each MB of input; doubled after a failure."""
    return lambda wildcards, input, attempt: asked(mb, per_mb, size(wildcards, input), attempt)


def minutes(base, per_mb, size=lambda wildcards, input: input.size_mb, times=1):
    """Minutes for a job, likewise, times a number of repetitions."""
    return lambda wildcards, input, attempt: times * asked(
        base, per_mb, size(wildcards, input), attempt
    )
