"""Files that the configuration declares: none may be where the workflow writes."""

from collections.abc import Collection, Iterable
from pathlib import Path

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.study import Study
from xnbflow.running.config import Config
from xnbflow.sources.dataset_entry import local_path
from xnbflow.sources.places.pinned import pinned_url

#: Folders below `results` that belong to no data set.
_COMMON = ("studies", "logs", "benchmarks")
#: Files in `results`.
_FILES = ("README.md", "index.html")


def refuse_outputs(config: Config) -> None:
    """Raise an `InputError` for a declared file at a path that jobs write or may remove.

    These are `results/studies`, `results/logs`, `results/benchmarks` and `results/{dataset}` of
    every data set, named by whatever path or link. Other files in `results` are the user's.
    """
    for name, entry in config.datasets.items():
        for field, path in entry.local_files.items():
            key = entry.key_of_file(field)
            _refuse(path, config.datasets, f"configuration, datasets.{name}, {key}")
    for place, path in _files_of_configuration(config):
        _refuse(path, config.datasets, f"configuration, {place}")


def _files_of_configuration(config: Config) -> Iterable[tuple[str, Path]]:
    """Yield the key and the path of each file of the configuration."""
    for name, scheme in config.folds.items():
        path = local_path(scheme.file) if scheme.file else None
        if path is not None:
            yield f"folds.{name}.file", path
    for study in config.studies.values():
        yield from _gene_set_files(study)


def _gene_set_files(study: Study) -> Iterable[tuple[str, Path]]:
    for location in study.gene_sets:
        if pinned_url(location) is None:
            yield f"studies.{study.id}.gene_sets", Path(location)


def _refuse(path: Path, datasets: Collection[str], place: str) -> None:
    """Raise an `InputError` if a path is in a folder of results."""
    results = Path("results").resolve()
    # the path itself, also where it does not exist yet, and what a link leads to
    absolute = Path.cwd().joinpath(path)
    for candidate in (absolute.parent.resolve() / absolute.name, absolute.resolve()):
        if not candidate.is_relative_to(results):
            continue
        first, *below = candidate.relative_to(results).parts or ("",)
        if first in (*_COMMON, *datasets) or (not below and first in _FILES):
            msg = (
                f"{place}: {quoted(str(path))} is in results/{first}, where this workflow writes "
                "and removes files, so that a run could replace it. Move or copy the file to "
                f"another folder, such as data/, and name it there"
            )
            raise InputError(msg, file=str(path))
