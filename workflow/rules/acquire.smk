# Acquire: from a row of the sheet to the canonical series, one row per feature.
from xnbflow.data.sources.registry import known_sources


def given(wildcards):
    """A user's own files by what names them, so that editing one acquires the data set again."""
    files = DATASETS[wildcards.dataset].local_files
    where = f"data set {wildcards.dataset}"
    return {key: own_file(path, f"{where}, {key}") for key, path in files.items()}


def state_of_given(wildcards):
    """Size and time of a user's own files: one that is put in another's place may be the older of the two."""
    states = {key: Path(path).stat() for key, path in given(wildcards).items()}
    return {key: [state.st_size, state.st_mtime_ns] for key, state in states.items()}


def reader(wildcards):
    """The module that loads a data set."""
    return known_sources()[DATASETS[wildcards.dataset].source].module


def sheet_mb(wildcards):
    """MB of a data set as text: by the shape in the sheet, else of a large one."""
    row = DATASETS[wildcards.dataset]
    return (row.samples or 300) * (row.features or 54_675) * 20e-6


def acquired_mb(wildcards, input):
    """MB of a data set as text: by its files, else by the sheet."""
    packed = (".gz", ".xlsx", ".parquet", ".h5ad")
    files = [
        mb * (4 if path.endswith(packed) else 1) for path, mb in zip(input, input.size_files_mb)
    ]
    return sum(files) or sheet_mb(wildcards)


rule acquire:
    input:
        unpack(given),
    output:
        series=SERIES,
        notes=NOTES,
        truth=TRUTH,
    log:
        log_of("acquire"),
    benchmark:
        benchmark_of("acquire")
    # What is begun goes on before; of what is not, the largest is first.
    priority: lambda wildcards: -1 / (1 + sheet_mb(wildcards))
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: NEEDS["acquire"].threads(sheet_mb(wildcards))
    resources:
        mem_mb=memory_of("acquire", acquired_mb),
        runtime=minutes_of("acquire", acquired_mb),
    params:
        dataset=lambda wildcards: vars(DATASETS[wildcards.dataset]),
        given=state_of_given,
        reader=reader,
        lock=lambda wildcards: prefix() + LOCK,
        sources=lambda wildcards: source_digests("acquire", reader(wildcards)),
    script:
        "../scripts/acquire.py"
