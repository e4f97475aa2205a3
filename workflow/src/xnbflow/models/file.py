"""Models as files: skops, no pickle; a file runs no code and names the types it is made of."""

import json
import warnings
import zipfile
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import skops.io

from xnbflow.data.atomic import write_atomically
from xnbflow.data.errors import InputError
from xnbflow.models.trained import TrainedModel, probed
from xnbflow.models.typicality import Typicality

__all__ = ["FORMAT_VERSION", "read_model", "write_model"]

#: Raised when an older program could not read what a newer one writes.
FORMAT_VERSION = 1

_FORMAT = "xnbflow-model"


def write_model(model: TrainedModel, path: str | Path) -> None:
    """Write a model to a skops file; it appears whole or not at all.

    Parameters
    ----------
    model : TrainedModel
    path : path
        Folders on the way are made.

    Raises
    ------
    InputError
        If the estimator holds something that skops cannot keep without running code.
    """
    content = {field.name: getattr(model, field.name) for field in fields(TrainedModel)}
    content["signature"] = {name: model.signature[name].tolist() for name in model.signature}
    content["features"] = [str(feature) for feature in model.features]
    content["typicality"] = vars(model.typicality)
    plain = ("entry", "series", "symbols", "signature", "features", "figures", "versions")
    notes = json.dumps({name: content.pop(name) for name in plain}, allow_nan=True)
    whole = {"format": _FORMAT, "version": FORMAT_VERSION, "notes": notes, **content}
    try:
        write_atomically(path, lambda part: skops.io.dump(whole, part))
    except (TypeError, ValueError, AttributeError) as error:
        kind = type(model.estimator).__name__
        msg = f"{kind} cannot be kept in a skops file ({error}); use another estimator"
        raise InputError(msg) from error


def read_model(path: str | Path, trust: Iterable[str] = ()) -> TrainedModel:
    """Read a model that `write_model` has written.

    Parameters
    ----------
    path : path
    trust : iterable of str
        Full names of further types that the file may be made of. Those of this package, of NumPy
        and scikit-learn's own that skops vouches for are trusted.

    Raises
    ------
    InputError
        If the file is damaged, of another program or of a newer version, or is made of types that
        are not trusted; the message names them.
    """
    _check(path, trust)
    try:
        content = skops.io.load(path, trusted=_unknown_types(path))
        notes = json.loads(content.pop("notes"))
        content = content | notes
        content["signature"] = pd.DataFrame(content["signature"])
        content["features"] = np.asarray(content["features"], dtype=str)
        content["typicality"] = Typicality(**content["typicality"])
        model = TrainedModel(**{field.name: content[field.name] for field in fields(TrainedModel)})
    except Exception as error:
        msg = f"{path} is damaged ({type(error).__name__}: {error}); make or copy the model again"
        raise InputError(_short(msg)) from error
    _refuse_changed(model, path)
    return model


def _refuse_changed(model: TrainedModel, path: str | Path) -> None:
    """Refuse a model that does not say what it said when it was made."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = probed(model.estimator, model.quartiles, model.features)
        same = np.allclose(found, model.probe, rtol=0, atol=1e-6)
    except Exception:  # noqa: BLE001  whatever an estimator of other versions runs into
        same = False
    if not same:
        made = ", ".join(f"{name} {number}" for name, number in model.versions.items())
        msg = (
            f"{path} says something else here than where it was made ({made}); use these "
            "versions, or fit the model again"
        )
        raise InputError(_short(msg))


def _check(path: str | Path, trust: Iterable[str]) -> None:
    header = _header(path)
    if header.get("format") != _FORMAT:
        msg = f"{path} is a skops file, but no model of xnbflow; make one with `xnbflow fit`"
        raise InputError(msg)
    if header.get("version") != FORMAT_VERSION:
        msg = (
            f"{path} is of format {header.get('version')!r}, this program reads {FORMAT_VERSION}; "
            "use the version of xnbflow that made it, or fit the model again"
        )
        raise InputError(msg)
    allowed = set(trust)
    refused = [name for name in _unknown_types(path) if not _ours(name) and name not in allowed]
    if refused:
        msg = (
            f"{path} is made of types that are not trusted: {', '.join(sorted(refused))}. If you "
            "know them and where the file is from, name them to be trusted (--trust)"
        )
        raise InputError(msg)


def _header(path: str | Path) -> dict[str, Any]:
    """Return the plain values at the top of a skops file, no other object made."""
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
            schema = json.loads(archive.read("schema.json"))
    except FileNotFoundError as error:
        msg = f"{path} does not exist; make a model with `xnbflow fit`"
        raise InputError(msg) from error
    except (OSError, zipfile.BadZipFile, KeyError, ValueError, NotImplementedError) as error:
        msg = f"{path} is no model, or damaged ({error}); make or copy it again"
        raise InputError(_short(msg)) from error
    if damaged is not None:
        msg = f"{path} is damaged (its part {damaged} has another checksum); copy it again"
        raise InputError(msg)
    content = schema.get("content", {}) if isinstance(schema, dict) else {}
    entries = content if isinstance(content, dict) else {}
    return {key: _plain(entries.get(key)) for key in ("format", "version")}


def _plain(entry: Any) -> Any:
    """Return the value of a JSON entry of skops; None of any other."""
    if not isinstance(entry, dict) or entry.get("__loader__") != "JsonNode":
        return None
    return json.loads(entry["content"])


def _unknown_types(path: str | Path) -> list[str]:
    try:
        return skops.io.get_untrusted_types(file=path)
    except Exception as error:
        msg = f"{path} is damaged ({type(error).__name__}: {error}); make or copy it again"
        raise InputError(_short(msg)) from error


def _ours(name: str) -> bool:
    """Whether a type is one of this package's estimators or distributions."""
    floors = ("naive_bayes", "preprocessing", "distributions", "selection", "density")
    return any(name.startswith(f"xnbflow.{floor}.") for floor in floors)


def _short(message: str, most: int = 300) -> str:
    return message if len(message) <= most else f"{message[: most - 3]}..."
