# Common parts of all rules: the checked configuration, and the values of wildcards.
import os
import sys

from snakemake.exceptions import WorkflowError

from xnbflow.core.errors import InputError
from xnbflow.running.data_set_jobs import DataSetPlanner
from xnbflow.running.plan import Plan, exactly
from xnbflow.running.project import default_configuration, overlay
from xnbflow.running.rule_parts import cpus_for, over, parameters, requests, tables_of, tables_over
from xnbflow.running.study_jobs import StudyPlanner

# A classifier of the user can be a module in the folder of the run. It replaces no installed module.
sys.path.append(os.getcwd())


# The configuration of the project, and over it that of --configfile and --config.
configfile: str(ROOT / "config/config.yaml")


# The papers' configurations are below them. For a module with a configuration of its caller Snakemake reads no
# file, so that the project's is in this one, too. Snakemake merges a data set of --configfile with one of the
# project with the same name key by key: it is replaced as a whole instead.
config = overlay(default_configuration(ROOT), config)
of_command = workflow.config_settings.overwrite_config
if "datasets" in of_command:
    config = overlay(config, {"datasets": of_command["datasets"]})

try:
    PLAN = Plan.read(
        config,
        ROOT,
        mark_local=local,
        files=[ROOT / "config/config.yaml", *workflow.config_settings.configfiles],
    )
except InputError as error:
    raise WorkflowError(str(error)) from error

# what the rules ask of the configuration: for jobs of single data sets, and for those of a study
OF_DATA = DataSetPlanner(PLAN)
OF_STUDY = StudyPlanner(PLAN)


wildcard_constraints:
    dataset=exactly(PLAN.datasets),
    study=exactly(PLAN.config.studies),
    folds=exactly(PLAN.config.folds),
    job=exactly(PLAN.jobs),
    classifier=exactly(PLAN.config.classifiers),
    analysis=exactly(PLAN.analyses),
