"""The files of the workflow: its default configuration.

The Snakefile reads it: nothing numerical is imported here.
"""

from collections.abc import Mapping
from copy import deepcopy
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
        merged = overlay(merged, parse_yaml(path.read_text(encoding="utf-8")))
    return merged


def overlay(configuration: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with another one laid over it.

    Nested mappings are merged key by key, but a data set is replaced as a whole: keys of another
    source would have no meaning.

    Examples
    --------
    >>> ours = {"datasets": {"x": {"source": "bundled", "name": "wine"}}, "run": ["a"]}
    >>> overlay(ours, {"datasets": {"x": {"source": "table", "file": "x.csv"}}})
    {'datasets': {'x': {'source': 'table', 'file': 'x.csv'}}, 'run': ['a']}
    """
    merged = deepcopy(dict(configuration))
    _merge(merged, over)
    datasets = over.get("datasets")
    if isinstance(datasets, Mapping):
        merged["datasets"] |= deepcopy(dict(datasets))
    return merged


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
