# What happens when a run begins, and when it fails.
import gc
import time
from pathlib import Path

from snakemake.logging import logger

from xnbflow.workflow.slurm_logs import reasons

#: When this call began.
STARTED = time.time()


def tell_reasons():
    """Say of failed jobs on SLURM why it ended them; of the others it is in their logs."""
    settings = workflow.executor_settings
    if workflow.executor_plugin and workflow.executor_plugin.name == "slurm":
        for line in reasons(
            settings.logdir or Path(".snakemake/slurm_logs").absolute(), since=STARTED
        ):
            logger.error(line)


def prepare_start():
    """What makes jobs on one machine short, before the first of them; from here on there is garbage again."""
    gc.freeze()
    gc.enable()


def add_handler(event, own):
    """Have a handler called after the one of the Snakefile that imports this one."""
    theirs = getattr(workflow, event)

    def both(log):
        theirs(log)
        own()

    setattr(workflow, event, both)


onstart:
    prepare_start()


onerror:
    tell_reasons()


if not MODIFIER.is_main_snakefile():  # Snakemake calls those of the main Snakefile alone
    add_handler("_onstart", prepare_start)
    add_handler("_onerror", tell_reasons)
