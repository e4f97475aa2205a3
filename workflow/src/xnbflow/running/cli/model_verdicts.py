"""The verdict on a model, from the tables of the study that fitted it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.report.numbers import capitalized
from xnbflow.report.reasons import verdict_in_words
from xnbflow.tables.contract import MODEL, MODEL_TABLE, STUDY_FILES, STUDY_TABLES
from xnbflow.tables.parquet import place_of
from xnbflow.tables.storage import read_parquet, series_of


@dataclass(frozen=True, kw_only=True)
class ModelVerdict:
    """The verdict of a study on the classifier of a model, or why there is none.

    ``level`` is empty without a verdict. ``reasons`` are the rows of the table ``reasons``, and
    ``text`` is a sentence, as "Partly supported, because ...".
    """

    text: str
    level: str = ""
    study: str = ""
    reasons: list[dict[str, Any]] = field(default_factory=list)


def verdict_of_model(path: str | Path, noun: str = "feature") -> ModelVerdict:
    """Return the verdict on a model by its file, which is in the folder of its study.

    It is that of the study’s first scheme of folds, from which a model has its figures. ``noun`` is
    what the model calls a feature: "gene" or "feature".
    """
    place = place_of(path)
    values = MODEL.values_in(place)
    if values is None:
        return ModelVerdict(text="No verdict: the file is not in the folder of a study.")
    study = values["study"]
    root = Path(str(Path(path).absolute()).removesuffix(place))
    paths = {}
    for name in ("verdicts", "reasons"):
        paths[name] = root / STUDY_FILES[name].of(study=study)
        if not paths[name].is_file():
            text = f"No verdict: the study {study} has not compared its classifiers yet."
            return ModelVerdict(text=text, study=study)
    signature = root / MODEL_TABLE.of(**values, table="signature")
    if series_of(signature) not in series_of(paths["verdicts"]).split():
        text = f"No verdict: the study {study} has not compared its classifiers on these data yet."
        return ModelVerdict(text=text, study=study)
    key = {name: values[name] for name in ("dataset", "classifier")}
    rows = _rows(paths["verdicts"], "verdicts", key)
    if rows.empty:
        text = f"No verdict: the study {study} did not cross-validate this model."
        return ModelVerdict(text=text, study=study)
    row = rows.iloc[0]
    limiting = _rows(paths["reasons"], "reasons", key | {"folds": row["folds"]})
    reasons: list[dict[str, Any]] = limiting.to_dict("records")
    sentence = verdict_in_words(row["level"], reasons, noun)
    return ModelVerdict(
        text=f"{capitalized(sentence)}.", level=row["level"], study=study, reasons=reasons
    )


def _rows(path: Path, name: str, key: dict[str, str]) -> pd.DataFrame:
    """Return the rows of a table of a study whose columns have the values of a key."""
    table = read_parquet(path, STUDY_TABLES[name])
    is_of_key = (table[list(key)] == pd.Series(key)).all(axis=1)
    return table[is_of_key]
