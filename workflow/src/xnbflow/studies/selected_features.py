"""Selected features of all folds: frequency, stability, planted markers."""

from collections.abc import Mapping, Sequence
from math import fsum

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.keyed_tables import FOLD, KEY, Headers, Tables, key_fields, stack
from xnbflow.inference.halves import (
    agreement_interval,
    half_stability,
    pairs_of,
    short_list_shares,
)
from xnbflow.inference.intervals import UNKNOWN, Estimate
from xnbflow.inference.stability import UNDEFINED, stability_index
from xnbflow.tables.contract import GROUPS

#: Share of selections above which a set is noted as one of features that are almost constant.
_MOSTLY_CONSTANT = 0.5
#: `recovery` of a class, and of a data set without planted markers.
_NOT_PLANTED = dict.fromkeys(("planted", "by_chance", "precision", "recall", "strength"), np.nan)
#: The table ``halves`` by data set and classifier.
Halves = Mapping[tuple[str, str], pd.DataFrame]


def selection(selected: Tables, fits: Tables, halves: Halves) -> pd.DataFrame:
    """Return how often a feature was selected for a class, its mean rank and mean distance."""
    table = stack(selected, [*FOLD, "class", "feature", "rank", "distance"])
    group = table.groupby([*KEY, "class", "feature"], sort=False)
    counts = group.agg(
        times=("rank", "size"), mean_rank=("rank", "mean"), mean_distance=("distance", "mean")
    ).reset_index()
    fitted = stack(fits, ["status"]).query("status == 'ok'").groupby(KEY).size()
    counts = counts.merge(fitted.reset_index(name="fits"), on=KEY, how="left")
    counts["frequency"] = counts["times"] / counts["fits"]

    # The share of disjoint halves with the feature in the short list, missing without halves.
    shares = {key: short_list_shares(table) for key, table in halves.items() if len(table)}
    of_halves = []
    for row in counts[["dataset", "classifier", "class", "feature"]].itertuples(index=False):
        dataset, classifier, label, feature = row
        of_model = shares.get((dataset, classifier))
        of_halves.append(np.nan if of_model is None else of_model.get((label, feature), 0.0))
    counts["share_of_halves"] = of_halves
    order = [*KEY, "class", "frequency", "mean_rank", "feature"]
    ascending = [column != "frequency" for column in order]
    return counts.sort_values(order, ascending=ascending, ignore_index=True)


def stability(
    selected: Tables,
    fits: Tables,
    headers: Headers,
    halves: Halves,
    *,
    agreement: Halves | None = None,
    truth: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """Return Nogueira's index of each class's sets, and of their union (class '').

    There is an index of disjoint halves (`xnbflow.inference.halves`), of all selected features and
    of the short lists (``agreement``, tables of checks), and one of the folds. Of a simulated data
    set the union also has the `recovery` of its planted markers (``truth``, by data set). ``note``
    is "one sample" for a class without a second one, which has no stability; "constant" where more
    than half of the selections are made only because a class is almost constant.
    """
    rows = []
    for key, table in selected.items():
        if table.empty:
            continue
        header = headers[key[0]]
        fitted = fits[key].query("status == 'ok'")
        # the class "" means all classes together, with the union of their sets in each fold
        tables = {"": table} | {c: table[table["class"] == c] for c in header.classes}
        for label, selections in tables.items():
            sets = _sets(selections, fitted)
            samples = len(header.labels) if not label else int((header.labels == label).sum())
            constant = selections["constant"].mean()
            of_folds = UNDEFINED if samples == 1 else stability_index(sets, header.n_features)
            of_halves = _of_halves(halves.get((key[0], key[2])), label, header)
            of_class = _rows_of_class((agreement or {}).get((key[0], key[2])), label)
            of_short, short_size = _of_short_lists(of_class, "agreement")
            replicated, _ = _of_short_lists(of_class, "replicated")
            note = "constant" if constant > _MOSTLY_CONSTANT else ""
            recovered = _NOT_PLANTED
            if not label and truth and key[0] in truth:
                recovered = recovery(sets, truth[key[0]])
            rows.append(
                {
                    **key_fields(key),
                    "class": label,
                    "stability": of_folds.value,
                    "lower": of_folds.lower,
                    "upper": of_folds.upper,
                    "sets": len(sets),
                    "samples": samples,
                    "halves": of_halves.value,
                    "halves_lower": of_halves.lower,
                    "halves_upper": of_halves.upper,
                    "replicated": replicated.value,
                    "replicated_lower": replicated.lower,
                    "replicated_upper": replicated.upper,
                    "short_list": of_short.value,
                    "short_lower": of_short.lower,
                    "short_upper": of_short.upper,
                    "short_size": short_size,
                    "constant": constant,
                    "mean_size": float(np.mean([len(features) for features in sets])),
                    "note": "one sample" if samples == 1 else note,
                    **recovered,
                }
            )
    return pd.DataFrame(rows, columns=GROUPS["study"].tables["stability"].fixed)


def _of_halves(halves: pd.DataFrame | None, label: str, header: DataSet) -> Estimate:
    if halves is None:
        return UNKNOWN
    pairs = pairs_of(halves[halves["class"] == label] if label else halves)
    return half_stability(pairs, header.n_features) if pairs else UNKNOWN


def _rows_of_class(agreement: pd.DataFrame | None, label: str) -> pd.DataFrame | None:
    """Return the rows of a class in a table ``agreement``; None without a table or rows."""
    if agreement is None:
        return None
    rows = agreement[agreement["class"] == label]
    return None if rows.empty else rows


def _of_short_lists(rows: pd.DataFrame | None, measure: str) -> tuple[Estimate, float]:
    """Return a measure of the short lists of halves, and their mean number of features."""
    if rows is None:
        return UNKNOWN, np.nan
    size = float(rows["mean_size"].mean())
    return agreement_interval(rows[measure].to_numpy(), size), size


def _sets(selected: pd.DataFrame, fitted: pd.DataFrame) -> list[set[str]]:
    """Return the features selected in each fold that was fitted; the set may be empty."""
    names = selected["feature"].to_numpy(dtype=object)  # one conversion: folds have 20,000 each
    rows_of_fold = selected.groupby(FOLD).indices
    fitted_folds = fitted[FOLD].itertuples(index=False, name=None)
    return [set(names[rows_of_fold.get(fold, [])]) for fold in fitted_folds]


def recovery(sets: Sequence[set[str]], planted: pd.DataFrame) -> dict[str, float]:
    """Return how many selected features were planted, and how many planted ones were selected.

    All are means over folds, whose selected features are ``sets``; a fold that selects nothing has
    a recall of 0 and no precision or strength. The strength of a feature is the share of markers
    with a smaller effect, 0 if it is not a marker. ``planted`` is the table ``truth``.
    """
    markers = planted.dropna(subset="class").set_index("feature")["effect"].abs()
    weaker = ((markers.rank(method="min") - 1) / len(markers)).to_dict()
    hits = pd.Series([len(chosen & weaker.keys()) for chosen in sets])
    # fsum: the rounding does not depend on the order of the features
    sums = [fsum(weaker.get(name, 0.0) for name in chosen) for chosen in sets]
    strengths = pd.Series(sums)
    sizes = pd.Series(map(len, sets)).replace(0, np.nan)
    return {
        "planted": len(markers),
        "by_chance": len(markers) / len(planted),
        "precision": (hits / sizes).mean(),
        "recall": (hits / len(markers)).mean(),
        "strength": (strengths / sizes).mean(),
    }
