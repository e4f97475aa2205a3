"""The head of a curated data set (GDS) in SOFT format: its facts, and subsets of its samples.

Lines are ``!key = value``; each subset has its type, its description and its members.
"""

import io
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from xnbflow.data.errors import InputError
from xnbflow.data.sources.geo_head import GeoHead, joined_texts
from xnbflow.data.sources.labels import plain_text

__all__ = ["read_dataset_head"]

_DATASET_BEGIN = b"!dataset_table_begin"


def read_dataset_head(path: str | Path, stream: io.BufferedIOBase) -> GeoHead:
    """Read a GDS in SOFT format up to its table, and leave the stream there.

    Raises
    ------
    InputError
        If it is no GDS, or has no table.
    """
    facts: dict[str, str] = {}
    subsets: list[dict[str, str]] = []
    titles: dict[str, str] = {}
    line_number, has_table = 0, False
    for raw in stream:
        line_number += 1
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        if raw.startswith(_DATASET_BEGIN):
            has_table = True
            break
        name, _, value = (part.strip() for part in line.partition("="))
        if name == "^SUBSET":
            subsets.append({})
        elif name.startswith("!subset_") and subsets:
            subsets[-1][name.removeprefix("!subset_")] = value
        elif name.startswith("!dataset_"):
            facts.setdefault(name.removeprefix("!dataset_"), value)
        elif name.startswith("#GSM"):
            told = re.sub(r"^Value for GSM\d+:\s*", "", value)
            titles[name[1:]] = told
        elif name == "^DATASET":
            facts.setdefault("accession", value)
    if not facts or not has_table:
        msg = (
            f"{path} is no GDS in SOFT format with a table"
            f"{' (it is cut off)' if facts else ''}; for a GSE give its series matrix"
        )
        raise InputError(msg)
    _refuse_partial(path, subsets)
    samples = list(titles) or _subset_samples(subsets)
    fields = _subset_fields(path, samples, subsets)
    keys = list(fields)
    named = [titles.get(sample, "").partition("; src:") for sample in samples]
    fields.insert(0, "title", pd.Series([t[0].strip() for t in named], dtype=object))
    fields.insert(1, "source", pd.Series([t[2].strip() for t in named], dtype=object))
    return GeoHead(
        facts.get("accession", ""),
        facts.get("title", ""),
        facts.get("platform", ""),
        samples,
        fields,
        keys,
        facts=facts,
        lines=line_number,
        table_end="!dataset_table_end",
    )


def _refuse_partial(path: str | Path, subsets: Sequence[dict[str, str]]) -> None:
    for subset in subsets:
        if lacking := {"type", "description", "sample_id"}.difference(subset):
            msg = f"{path}: a subset has no !subset_{min(lacking)}; get the file again"
            raise InputError(msg)


def _members(subset: dict[str, str]) -> list[str]:
    return [name.strip() for name in subset["sample_id"].split(",") if name.strip()]


def _subset_samples(subsets: Sequence[dict[str, str]]) -> list[str]:
    return list(dict.fromkeys(sample for subset in subsets for sample in _members(subset)))


def _subset_fields(
    path: str | Path, samples: Sequence[str], subsets: Sequence[dict[str, str]]
) -> pd.DataFrame:
    row_of = {sample: row for row, sample in enumerate(samples)}
    table: dict[str, list[str]] = {}
    for subset in subsets:
        column = table.setdefault(subset["type"], [""] * len(samples))
        for sample in _members(subset):
            if sample not in row_of:
                msg = f"{path}: a subset names sample {sample!r}, which the table lacks"
                raise InputError(msg)
            row = row_of[sample]
            column[row] = joined_texts(column[row], plain_text(subset["description"]))
    return pd.DataFrame(table, dtype=object, index=range(len(samples)))
