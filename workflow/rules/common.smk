# Common parts of all rules: the checked configuration, and the values of wildcards.
from snakemake.exceptions import WorkflowError

from xnbflow.core.errors import InputError
from xnbflow.running.needs import cpus_for, requested
from xnbflow.running.plan import Plan, exactly
from xnbflow.running.planners.inputs import at, over, tables_of, together
from xnbflow.running.planners.study import StudyPlanner
from xnbflow.running.project import default_configuration, overlay
from xnbflow.running.provenance import computing_code, page_code, reading_code
from xnbflow.tables.contract import GROUPS

# The configuration of the papers and the project, and over it that of --configfile, --config or the caller of
# this module.
config = overlay(default_configuration(ROOT), config)

try:
    PLAN = Plan.read(
        config,
        ROOT,
        mark_local=local,
        files=workflow.configfiles,
        availability=lambda name: checkpoints.seek.get(dataset=name).output[0],
    )
except InputError as error:
    raise WorkflowError(str(error)) from error

# the data sets, jobs and models of a study, from which several rules read files
OF_STUDY = StudyPlanner(PLAN)


wildcard_constraints:
    dataset=exactly(PLAN.datasets),
    study=exactly(PLAN.config.studies),
    folds=exactly(PLAN.config.folds),
    job=exactly(PLAN.jobs),
    classifier=exactly(PLAN.config.classifiers),
    analysis=exactly(PLAN.analyses),


# Tested by the project's tests of the image's files only: build it by the Dockerfile of this repository.
container: "docker://ghcr.io/xnbflow/xnbflow:latest"
