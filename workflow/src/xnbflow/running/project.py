"""The files of the workflow: the default configuration and the sheets of data sets.

The Snakefile reads it: nothing numerical is imported here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xnbflow.core.plugins import PAPERS
from xnbflow.core.yaml_text import parse_yaml

_LIBRARY = Path(__file__).resolve().parents[1]  # scripts find it as rules/../src
#: The folder with the workflow: in a wheel a part of the library, else the clone around it.
ROOT = _LIBRARY / "project" if (_LIBRARY / "project").is_dir() else _LIBRARY.parents[2]


def default_configuration(root: Path = ROOT) -> dict[str, Any]:
    """Return the papers' configurations, overlaid with ``config/config.yaml`` of a project."""
    paths = [*sorted(PAPERS.glob("*/config.yaml")), root / "config/config.yaml"]
    merged: dict[str, Any] = {}
    for path in paths:
        _merge(merged, parse_yaml(path.read_text(encoding="utf-8")))
    return merged


def default_sheets(root: Path = ROOT) -> dict[str, Path]:
    """Return the sheets of data sets of a project and of the papers, by their names in results.

    The names begin with ``xnbflow/``: a user's sheet may have the same place in another folder.

    Examples
    --------
    >>> list(default_sheets())[0]
    'xnbflow/config/datasets.tsv'
    """
    paths = [root / "config/datasets.tsv", *sorted(PAPERS.glob("*/datasets.tsv"))]
    return {f"xnbflow/{path.parent.name}/{path.name}": path for path in paths}


def existing_path(path: str | Path, root: Path) -> Path:
    """Return a path of the configuration: in the working directory if it exists, or the project."""
    return Path(path) if Path(path).exists() else root / path


def _merge(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Set values in a mapping; nested mappings are merged key by key."""
    for key, value in values.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value
