"""What the analysis of effects found on one data set: its tables, and what they are called."""

from dataclasses import dataclass

import pandas as pd

from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.studies.effects import ANALYSIS
from xnbflow.studies.effects.contract import MODELS, PAPERS_EXAMPLE

__all__ = ["EffectTables"]

_PRINTED = ["paper", "paper_lower", "paper_upper"]


@dataclass(frozen=True)
class EffectTables:
    """What `xnbflow.studies.effects.compute` found on one data set.

    Attributes
    ----------
    dataset : str
        Its name.
    tables : dict of str to DataFrame
        Its rows of every table, by name; tables without any are absent.
    whole : StudyTables
        The tables of all data sets.
    """

    dataset: str
    tables: dict[str, pd.DataFrame]
    whole: StudyTables

    @classmethod
    def read(cls, results: StudyResults) -> list["EffectTables"]:
        """Return what was found on each data set of a study."""
        tables = results.analysis(ANALYSIS)
        whole = {name: tables[name] for name in tables.present()}
        return [
            cls(
                dataset,
                {
                    name: rows[rows["dataset"] == dataset].drop(columns="dataset")
                    for name, rows in whole.items()
                    if (rows["dataset"] == dataset).any()
                },
                tables,
            )
            for dataset in whole["fit"]["dataset"].unique()
        ]

    @property
    def sets(self) -> dict[str, str]:
        """Each set of features, in the study's order, with what it is called: with its size."""
        sizes = self.tables["fit"].drop_duplicates("features").set_index("features")["n_features"]
        return {name: f"{name} ({size} features)" for name, size in sizes.items()}

    @property
    def published(self) -> pd.DataFrame:
        """The paper's error; without rows where this is not its example."""
        return self.tables.get("published", pd.DataFrame(columns=["features", *_PRINTED]))

    @property
    def shown(self) -> str:
        """The set that is shown in detail: the one with the fewest features."""
        fit = self.tables["fit"]
        return fit["features"].loc[fit["n_features"].idxmin()]

    @property
    def models(self) -> list[str]:
        """The models that were fitted."""
        fitted = set(self.tables["fit"]["model"])
        return [model for model in MODELS if model in fitted]

    @property
    def part(self) -> str:
        """The part that counts: ``test`` where there is one."""
        return "test" if (self.tables["fit"]["part"] == "test").any() else "train"

    @property
    def classes(self) -> tuple[str, str]:
        """The class that is no event, and the event."""
        other, event = sorted(self.tables["confusion"]["actual"].unique())
        return other, event

    @property
    def paper_features(self) -> list[str]:
        """Features of the paper's set; none where this is not its example."""
        dataset, name = PAPERS_EXAMPLE
        return self.features(name) if self.dataset == dataset and name in self.sets else []

    def is_papers(self, name: str) -> bool:
        """Return whether a set is that of the paper's example."""
        return (self.dataset, name) == PAPERS_EXAMPLE

    def of_set(self, table: str, name: str) -> pd.DataFrame:
        """Return the rows of a set in a table."""
        rows = self.tables[table]
        return rows[rows["features"] == name]

    def fit(self, name: str, part: str) -> pd.DataFrame:
        """Return the fit statistics of a set in a part, a row per model; empty without the part."""
        rows = self.of_set("fit", name)
        rows = rows[rows["part"] == part].set_index("model")
        return rows.reindex(self.models) if len(rows) else rows

    def features(self, name: str) -> list[str]:
        """Return the features of a set."""
        card = self.of_set("scorecard", name)
        return card.loc[card["kind"] != "intercept", "feature"].unique().tolist()
