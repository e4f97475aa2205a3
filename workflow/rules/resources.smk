# What jobs ask for: CPUs, memory and time, by the size of their input.
import os
from functools import cache

from snakemake.logging import logger

from xnbflow.workflow.needs import NEEDS, fitting
from xnbflow.workflow.partition import read_partition


def size_of(wildcards, input):
    """MB of a job's input; Snakemake's `size_mb` starts an event loop for each of many jobs."""
    if any(path.is_storage for path in input):
        return input.size_mb
    return sum(os.stat(path).st_size for path in input) / 2**20


@cache
def partition():
    """The SLURM partitions that jobs of this call go to; None of jobs that go elsewhere."""
    plugin = workflow.executor_plugin
    if not workflow.is_main_process or plugin is None or plugin.name != "slurm":
        return None
    if workflow.executor_settings.partition_config:  # then the plugin chooses one that fits
        return None
    settings = workflow.resource_settings
    asked = [settings._parsed_default_resources, *settings._parsed_overwrite_resources.values()]
    names = [str(each["slurm_partition"].raw) for each in asked if "slurm_partition" in each]
    return read_partition(list(dict.fromkeys(names)))


#: Rules and resources of which it was said that jobs cannot have what they ask.
TOO_LARGE = set()


def granted(kind, resource, asked):
    """What a job gets of what it asks: no more than the largest node of its partition has."""
    given = fitting(asked, resource, partition())
    if given < asked and (kind, resource) not in TOO_LARGE:
        TOO_LARGE.add((kind, resource))
        logger.warning(
            f"A job of {kind} asks {resource}={asked}; partition {partition().name} has no more than "
            f"{given}, which it gets. For another: --default-resources slurm_partition=NAME"
        )
    return given


def cpus_of(kind, work=lambda wildcards: 0):
    """CPUs for a job by its work; in the job itself, no more than it got."""
    need = NEEDS[kind]
    if need.cpus == 1:
        return 1
    got = 0 if workflow.is_main_process else int(os.environ.get("SLURM_CPUS_ON_NODE", 0))
    return inspected(
        lambda wildcards: granted(
            kind, "cpus", min(need.threads(work(wildcards)), got or need.cpus)
        )
    )


def memory_of(kind, size=size_of):
    """MB for a job by the size of its input; a job that failed gets twice as much."""
    return inspected(
        lambda wildcards, input, attempt: granted(
            kind, "mem_mb", NEEDS[kind].mem_mb(size(wildcards, input), attempt)
        )
    )


def minutes_of(kind, size=size_of, times=lambda wildcards: 1):
    """Minutes for a job, likewise, and for how many times the same."""
    return inspected(
        lambda wildcards, input, attempt: granted(
            kind,
            "runtime",
            times(wildcards) * NEEDS[kind].runtime(size(wildcards, input), attempt),
        )
    )


def repeats_of(wildcards):
    """How many repeats a batch of folds has."""
    return len(Batch.named(wildcards.batch).repeats)


def acquired_mb(wildcards, input):
    """MB of a data set as text: by its files, else by the sheet."""
    packed = (".gz", ".xlsx", ".parquet", ".h5ad")
    files = [
        mb * (4 if path.endswith(packed) else 1) for path, mb in zip(input, input.size_files_mb)
    ]
    return sum(files) or sheet_mb(wildcards)


def sheet_mb(wildcards):
    """MB of a data set as text: by the shape in the sheet, else of a large one."""
    row = DATASETS[wildcards.dataset]
    return (row.samples or 300) * (row.features or 54_675) * 20e-6


@inspected
def larger_first(wildcards):
    """Priority of what begins with a data set: below all that goes on with one, larger ones first.

    The last jobs before the tables of a study are then short ones, which leave no processor idle.
    """
    return -1 / (1 + sheet_mb(wildcards))


def trained_in(wildcards):
    """How many times a classifier was trained on a data set and scheme for a study."""
    return len(study_of(wildcards).trained)
