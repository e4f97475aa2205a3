"""What a run downloads: a sentence for each planned study, by ``-n`` and before the first job.

No server states the size of a file before it is asked for, and values as text take 3 to 18 bytes in
files that we measured: a total in bytes would be invented. The sentence has what is known.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from xnbflow.core.nouns import counted, listed
from xnbflow.running.plan import Plan
from xnbflow.sources.dataset_entry import DatasetEntry, local_path
from xnbflow.sources.registry import known_sources
from xnbflow.tables.contract import DOWNLOADS, SERIES, UNRESOLVED

#: Begins each sentence, by which the terminal of `xnbflow run` recognises it.
TO_DOWNLOAD = "To download"


def download_sentences(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each planned study with data sets whose files are to be downloaded.

    These are served by an address and not acquired yet. Files in the folder of downloads are
    counted without a check which of the data sets they belong to.
    """
    base_urls = plan.config.download["base_urls"]
    for study in plan.planned.values():
        names = [
            name
            for name in study.all_datasets
            if is_served(plan.datasets[name], base_urls)
            and not Path(SERIES.of(dataset=name)).exists()
        ]
        if names:
            yield (
                f"{TO_DOWNLOAD} for {study.id}: the files of {counted(len(names), 'data set')} "
                f"({listed(names, most=20)}), of unknown size; {_present()}"
            )


def is_served(entry: DatasetEntry, base_urls: Mapping[str, Sequence[str]]) -> bool:
    """Return whether an address serves a data set: by its URL or by its source.

    ``base_urls`` are those of the configuration by source; places that are folders serve nothing.

    Examples
    --------
    >>> is_served(DatasetEntry("x", "cumida", "Brain/GSE50161"), {})
    True
    >>> is_served(DatasetEntry("x", "cumida", "Brain/GSE50161"), {"cumida": ["/data/mirror"]})
    False
    >>> is_served(DatasetEntry("x", "table", "https://host/x.csv"), {})
    True
    >>> is_served(DatasetEntry("x", "bundled", "wine"), {})
    False
    """
    if "location" in entry.local_files:
        return False
    if local_path(entry.location) is None:
        return True
    source = known_sources()[entry.source]
    if entry.source in base_urls:
        return any(local_path(place) is None for place in base_urls[entry.source])
    is_supplied = any(re.fullmatch(location, entry.location) for location in source.unserved)
    return source.served and not is_supplied


def _present() -> str:
    """Return what is in the folder of downloads, as a clause."""
    folder = Path(DOWNLOADS)
    files = [path for path in folder.rglob("*") if path.is_file() and path != Path(UNRESOLVED)]
    if not files:
        return f"{folder} is empty"
    megabytes = sum(path.stat().st_size for path in files) * 1e-6
    count = counted(len(files), "file", "is", "are")
    return f"{count} in {folder} already ({megabytes:,.1f} MB)"
