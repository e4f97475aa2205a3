"""Texts ``key=value`` of a command line as the keys of a configuration."""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.dataset_entry import PLACES_OF_PHENOTYPE, location_of_argument, place_key


def parse_assignments(option: str, texts: Iterable[str]) -> dict[str, Any]:
    """Return values by key, read as YAML reads them; ``option`` is the option that has the texts.

    Examples
    --------
    >>> parse_assignments("--param", ["n_features=5", "distance=hellinger"])
    {'n_features': 5, 'distance': 'hellinger'}
    """
    values = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            msg = f"{option} {quoted(text)} is not of the form key=value"
            raise InputError(msg)
        try:
            values[key.strip()] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            msg = f"{option} {quoted(text)} cannot be read; quote the value"
            raise InputError(msg, key=key) from error
    return values


def dataset_settings(texts: Iterable[str], **named: str | None) -> dict[str, Any]:
    """Return the keys of a data set that a command line sets.

    Parameters
    ----------
    texts : iterable of str
        ``key=value`` of the option ``--set``; a part of a mapping has a point in its key, as
        ``label.classes=[KO, WT]``.
    **named : str or None
        Keys that have options of their own; empty if the user does not name them. That of
        ``phenotype`` is a file, an address or an accession.

    Examples
    --------
    >>> dataset_settings(["label.classes=[KO, WT]", "transform=tmm"], label="title", id="")
    {'label': {'column': 'title', 'classes': ['KO', 'WT']}, 'transform': 'tmm'}
    """
    settings: dict[str, Any] = {key: value for key, value in named.items() if value}
    if phenotype := settings.get("phenotype"):
        location = location_of_argument(phenotype)
        settings["phenotype"] = {place_key(location, PLACES_OF_PHENOTYPE): location}
    for path, value in parse_assignments("--set", texts).items():
        key, point, part = path.partition(".")
        if not point:
            settings[key] = value
            continue
        parts = settings.get(key, {})
        if not isinstance(parts, Mapping):  # the name of a column, of the label
            parts = {"column": parts}
        settings[key] = {**parts, part: value}
    return settings
