"""At a glance: what was run, how good it is, and what went wrong."""

from collections.abc import Sequence

import pandas as pd

from xnbflow.report.environment import job_seconds, machine, versions
from xnbflow.report.page.blocks import Block, Facts, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.seeds import derive_seed

__all__ = ["headline", "section"]


def section(results: StudyResults) -> Section:
    """Return the first section of a study's report."""
    blocks: list[Block] = []
    if results.study.classifiers:
        blocks += [Prose(headline(results), "headline"), _classifiers(results)]
    blocks += [*_problems(results), Facts(_facts(results))]
    if results.study.datasets:
        blocks.append(_datasets(results))
    seconds = job_seconds(results)
    details: list[Block] = [Facts(versions())]
    if len(seconds):
        details.append(_run_time(seconds))
    if results.study.folds:
        details.append(_seeds(results))
    blocks.append(Group("Versions, run time and seeds", details))
    return Section(
        "overview",
        "At a glance",
        "What was run, what came of it, and whether anything went wrong.",
        blocks,
    )


def headline(results: StudyResults) -> str:
    """Return the study's result in one sentence: accuracy and number of features, XNB first."""
    scores = results.scores("accuracy")
    if scores.isna().all(axis=None):
        return "No classifier could be fitted in every fold; see the failures below."
    shared = _fitted_by_all(scores)
    accuracy = scores.loc[shared].mean()
    features = results.scores("features_per_class").loc[shared].mean()
    subject = _subject(results, accuracy)
    where = f" on average over {_places(results, len(shared))}" if len(shared) > 1 else ""
    first = f"{subject} reaches an accuracy of {accuracy[subject]:.3f}"
    if pd.notna(features[subject]):
        first += f" with {_count(features[subject])} features per class"
    first += where
    others = [
        f"{name} {accuracy[name]:.3f}"
        + (f" with {_count(features[name])}" if pd.notna(features[name]) else "")
        for name in accuracy.index
        if name != subject and pd.notna(accuracy[name])
    ]
    return f"{first}; {_listed(others)}." if others else f"{first}."


def _places(results: StudyResults, n: int) -> str:
    """Return a number of rows of scores in words."""
    one, many = ("data set", "data sets")
    if len(results.study.folds) > 1:
        one, many = ("pair of data set and folds", "pairs of data set and folds")
    return f"{n} {one if n == 1 else many}"


def _fitted_by_all(scores: pd.DataFrame) -> list[str]:
    """Return the rows where every classifier has a score that has one anywhere; else all rows."""
    shared = scores.dropna(axis="columns", how="all").dropna(axis="index").index
    return list(shared if len(shared) else scores.index)


def _subject(results: StudyResults, accuracy: pd.Series) -> str:
    """Return the label of XNB where the study is about it, else of the most accurate classifier.

    A study with analyses of its own is about something else.
    """
    for name in results.study.classifiers if not results.study.analyses else ():
        entry = results.configuration.get("classifiers", {}).get(name, {})
        if entry.get("method") == "xnb" and pd.notna(accuracy[results.labels[name]]):
            return results.labels[name]
    return str(accuracy.idxmax())


def _count(number: float) -> str:
    return f"{number:.1f}" if number < 1000 else f"{number:,.0f}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _classifiers(results: StudyResults) -> Table:
    accuracy = results.scores("accuracy")
    shared = _fitted_by_all(accuracy)
    rounded = accuracy.round(3)
    best = rounded.eq(rounded.max(axis=1), axis=0).sum()
    seconds = results.tables["seconds"].groupby("classifier")[["fit_seconds"]].median()
    seconds = seconds["fit_seconds"].rename(results.labels).reindex(accuracy.columns)
    metrics = ("accuracy", "balanced_accuracy", "features_per_class")
    means = {
        name.replace("_", " "): results.scores(name).loc[shared].mean().to_numpy()
        for name in metrics
    }
    frame = pd.DataFrame({"classifier": accuracy.columns, **means})
    frame["most accurate on"] = best.to_numpy()
    frame["seconds to fit"] = seconds.to_numpy()
    formats = dict(zip(means, (".3f", ".3f", ",.1f"), strict=True)) | {"seconds to fit": ".3g"}
    caption = (
        f"The classifiers, averaged over {_places(results, len(shared))}"
        f"{_left_out(accuracy, shared)}. “Most accurate on” counts them, ties with every "
        "classifier that shares the first place; the seconds are the median of a fold. No number "
        "of features is given where a transformer makes new ones."
    )
    return Table(frame, caption, formats)


def _left_out(accuracy: pd.DataFrame, shared: Sequence[str]) -> str:
    left_out = [row for row in accuracy.index if row not in shared]
    return (
        f" ({_listed(left_out)} left out, where some could not be fitted in every fold)"
        if left_out
        else ""
    )


def _problems(results: StudyResults) -> list[Block]:
    """Return what failed or was warned about, first in a sentence, then in tables."""
    if not results.study.classifiers:
        return []
    problems, small = results.tables["problems"], _small_classes(results)
    failed = int((problems["kind"] == "error").sum())
    warned = len(problems) - failed
    said = [
        f"{failed:,} fits failed" if failed else "No fit failed",
        f"{warned:,} gave warnings" if warned else "no classifier warned",
    ]
    tables = [_said(results, problems)] if len(problems) else []
    if len(small):
        said.append(f"{len(small)} classes have fewer samples than there are folds")
        caption = "Classes with fewer samples than folds: some folds test none of them."
        tables.append(Table(small, caption))
    text = f"{'; '.join(said)}."
    if not tables:
        return [Prose(text)]
    return [Prose(text, "warning"), Group("Failures and warnings", tables, opened=bool(failed))]


def _said(results: StudyResults, problems: pd.DataFrame) -> Table:
    counts = (
        problems.assign(classifier=problems["classifier"].map(results.labels))
        .groupby(["dataset", "folds", "classifier", "kind", "text"], sort=False)
        .size()
        .reset_index(name="fits")
        .replace({"kind": {"error": "failed", "warnings": "warning"}})
        .rename(columns={"dataset": "data set", "kind": "what", "text": "message"})
    )
    return Table(counts, "Failed fits and warnings, with the number of fits that said the same.")


def _small_classes(results: StudyResults) -> pd.DataFrame:
    """Return the classes with fewer samples than a scheme of drawn folds has folds."""
    sizes = results.tables["class_sizes"]
    rows = []
    schemes = results.configuration.get("folds", {})
    for name in results.study.folds:
        scheme = schemes.get(name, {"file": ""})
        if "file" not in scheme:
            small = sizes[sizes["samples"] < scheme["splits"]]
            rows += [
                (*row, f"{name} ({scheme['splits']})") for row in small.itertuples(index=False)
            ]
    return pd.DataFrame(rows, columns=["data set", "class", "samples", "folds"])


def _facts(results: StudyResults) -> dict[str, str]:
    study = results.study
    schemes = results.configuration.get("folds", {})
    facts = {"Study": study.id}
    if study.datasets:
        facts["Data sets"] = str(len(study.datasets))
    if study.classifiers:
        facts["Classifiers"] = ", ".join(results.labels[name] for name in study.classifiers)
    if study.folds:
        facts["Folds"] = ", ".join(_scheme(name, schemes.get(name)) for name in study.folds)
        facts["Fits"] = f"{_fits(results):,}"
    seconds = job_seconds(results)["seconds"].sum()
    if seconds:
        facts["Computing time"] = f"{_duration(seconds)}, summed over jobs"
    facts["Machine"] = machine()
    facts["Version"] = f"xnbflow {versions()['xnbflow']}"
    return facts


def _fits(results: StudyResults) -> int:
    """Return how many fits were tried."""
    counts = results.tables["summary"].drop_duplicates(["dataset", "folds", "classifier"])
    return int(counts[["folds_ok", "folds_failed"]].sum(axis=None))


def _scheme(name: str, scheme: dict | None) -> str:
    if not scheme:
        return name
    if scheme.get("file"):
        return f"{name} (predefined)"
    return f"{name} ({scheme.get('repeats', 1)} × {scheme['splits']} stratified folds)"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _datasets(results: StudyResults) -> Table:
    frame = results.tables["datasets"].rename(columns={"dataset": "data set"})
    entries = results.configuration.get("datasets", {})
    rows = [entries.get(name, {}) for name in frame["data set"]]
    frame.insert(1, "source", [str(row.get("source", "")) for row in rows])
    frame.insert(2, "location", [str(row.get("location", "")) for row in rows])
    formats = {"samples": ",", "features": ","}
    return Table(frame, "The data sets of this study and where they come from.", formats)


def _run_time(seconds: pd.DataFrame) -> Table:
    frame = seconds.rename(columns={"most_memory": "most memory (MB)"})
    formats = {"seconds": ",.1f", "most memory (MB)": ",.0f"}
    caption = "Run time and memory of the jobs as Snakemake recorded them, by stage."
    return Table(frame, caption, formats)


def _seeds(results: StudyResults) -> Table:
    rows = [
        (name, repeat, *(derive_seed(name, repeat, what) for what in ("folds", "classifier")))
        for name in results.study.datasets
        for repeat in sorted(results.tables["metrics"]["repeat"].unique())
    ]
    frame = pd.DataFrame(rows, columns=["data set", "repeat", "folds", "classifiers"])
    caption = (
        "Seeds of the random numbers, fixed by the names of the data set and the repeat: the same "
        "on any machine and with any number of cores."
    )
    return Table(frame, caption)
