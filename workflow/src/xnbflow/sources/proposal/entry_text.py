"""An entry of ``datasets`` as lines of YAML, with the reason of each proposed key as a comment."""

from collections.abc import Mapping

from xnbflow.core.yaml_text import flow_yaml
from xnbflow.sources.dataset_entry import DatasetEntry


def entry_text(entry: DatasetEntry, reasons: Mapping[str, str] | None = None) -> str:
    """Return an entry as it is written below the key ``datasets``.

    Parameters
    ----------
    entry : DatasetEntry
    reasons : mapping of str to str, optional
        Comments by the key of the entry that each is about.

    Examples
    --------
    >>> entry = DatasetEntry("x", "table", "x.csv", label="type", group="patient")
    >>> print(entry_text(entry, {"group": "20 patients have several samples"}), end="")
      x:
        source: table
        file: x.csv
        label: type
        group: patient  # 20 patients have several samples
    """
    lines = [f"  {flow_yaml(entry.id)}:"]
    for key, value in entry.settings().items():
        line = f"    {key}: {flow_yaml(value)}"
        comment = (reasons or {}).get(key)
        lines.append(f"{line}  # {' '.join(comment.split())}" if comment else line)
    return "".join(f"{line}\n" for line in lines)
