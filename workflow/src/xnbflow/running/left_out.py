"""Data sets that studies run without: those under `skip`, and optional ones without their files.

Planning reads it in every job: nothing numerical is imported here.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from xnbflow.core.errors import InputError
from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Study
from xnbflow.running.config import Config
from xnbflow.running.project import existing_path
from xnbflow.sources.dataset_entry import DatasetEntry, local_path
from xnbflow.sources.registry import known_sources
from xnbflow.tables.contract import DOWNLOADS

#: Why a data set under `skip` is left out.
_SKIPPED = "it is under skip in the configuration"


def data_sets_left_out(config: Config, root: Path) -> dict[str, dict[str, str]]:
    """Return the data sets that each study runs without, with the reasons.

    Parameters
    ----------
    config : Config
    root : Path
        The folder of the project, which may have files that an entry names.

    Returns
    -------
    dict of str to dict
        By the id of the study, the reason for each data set.
    """
    base_urls = config.download["base_urls"]
    optional = {name for study in config.studies.values() for name in study.optional}
    absent = {
        name: _why_absent(config.datasets[name], base_urls, root) for name in sorted(optional)
    }
    left_out: dict[str, dict[str, str]] = {}
    for study in config.studies.values():
        reasons = {}
        for name in study.all_datasets:
            if name in config.skip:
                reasons[name] = _SKIPPED
            elif name in study.optional and absent[name]:
                reasons[name] = absent[name]
        left_out[study.id] = reasons
    return left_out


def refuse_without_data(study: Study) -> None:
    """Raise an `InputError` for a study without any data set, such as one that lacks all of its.

    A study with an analysis that simulates its data needs none.
    """
    if study.datasets or (study.analyses and not study.missing):
        return
    if not study.missing:
        msg = f"the study {study.id} has no data set; name one under studies.{study.id}.datasets"
        raise InputError(msg, key="datasets")
    known = known_analyses()
    if any(known[name].simulates for name in study.analyses):
        return
    reasons = "\n".join(f"  {name}: {reason}" for name, reason in study.missing.items())
    msg = (
        f"the study {study.id} has no data set: all of them are left out\n{reasons}\n"
        "Supply a file (docs/tutorials/data-files.md), or take a data set out of skip"
    )
    raise InputError(msg, key="datasets")


def _why_absent(entry: DatasetEntry, base_urls: Mapping[str, Sequence[str]], root: Path) -> str:
    """Return which file of a data set is absent; empty if all are there, or can be downloaded."""
    for field, path in entry.local_files.items():
        if not existing_path(path, root).exists():
            return f"{entry.key_of_file(field)}: there is no file {path}"
    name = _supplied_file(entry)
    folders = [local_path(place) for place in base_urls.get(entry.source, ())]
    if not name or None in folders:  # an address has it
        return ""
    usual = Path(DOWNLOADS, entry.source, Path(name).name)
    places = [usual]
    for folder in folders:
        places += [Path(folder or ".", name), Path(folder or ".", Path(name).name)]
    if any(place.is_file() or Path(f"{place}.gz").is_file() for place in places):
        return ""
    return f"there is no file {usual}"


def _supplied_file(entry: DatasetEntry) -> str:
    """Return the file that a user supplies for a data set that no public address serves."""
    for location, name in known_sources()[entry.source].unserved.items():
        if re.fullmatch(location, entry.location):
            return entry.options.get("file", name.replace("{location}", entry.location))
    return ""
