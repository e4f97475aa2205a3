"""Sections: what each of them says of a study whose tables are known."""

import inspect
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import numpy as np
import pandas as pd
import pytest
import report_study
from report_study import CLASSES, CLASSIFIERS, SCRIPT, changed, walk, with_rows, write_study
from scipy.special import logsumexp
from toys import put

from xnbflow.core.study import Study, Validation
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.methods import resolved
from xnbflow.inference import intervals
from xnbflow.models.final import final_model
from xnbflow.report import sentences
from xnbflow.report.manuscript.paragraphs import paragraphs
from xnbflow.report.manuscript.writer import card as manuscript_card
from xnbflow.report.next_steps import next_steps
from xnbflow.report.page import blocks as kinds
from xnbflow.report.page.blocks import Cards, Facts, Prose, Table
from xnbflow.report.page.page import write_page
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import (
    accuracy,
    answer,
    audit,
    comparison,
    diagnostics,
    explanation,
    methods,
    overview,
    samples,
)
from xnbflow.report.sections.samples import contributions
from xnbflow.report.study_page import write_curves, write_report
from xnbflow.running.cli.commands import as_text, summary
from xnbflow.studies.description import dependent_pairs
from xnbflow.studies.sample_errors import suspects
from xnbflow.tables import contract
from xnbflow.tables.contract import SERIES, usage_of

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "workflow/src/xnbflow"
MODULES = (answer, audit, overview, diagnostics, accuracy, explanation, samples)
MODULES += (comparison, methods)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


def blocks(section, kind):
    """Every block of a kind in a section, those in groups included."""
    return [block for block in walk(section.blocks) if isinstance(block, kind)]


def column(table, row, name):
    frame = table.frame.set_index(table.frame.columns[0])
    return frame.loc[row, name]


def drawn(section, name):
    """The arguments of a figure, by its name."""
    return next(f.arguments for f in kinds.figures_of(section.blocks) if f.name == name)


def table_with(section, *columns):
    """The first table of a section that has these columns."""
    return next(t for t in blocks(section, Table) if set(columns) <= set(t.frame))


def test_curves_have_the_declared_shape_and_the_areas_and_bins_of_the_tables(results, tmp_path):
    write_curves(results, tmp_path / "curves.json")
    written = json.loads((tmp_path / "curves.json").read_text(encoding="utf-8"))
    schema = Path(__file__).parents[2] / "workflow/schemas/curves.schema.json"
    jsonschema.validate(written, json.loads(schema.read_text()))
    owner, curves = ["dataset", "folds", "classifier"], pd.DataFrame(written["curves"])
    roc = curves[curves["curve"] == "roc"]
    areas = roc.assign(area=[np.trapezoid(*own) for own in zip(roc["y"], roc["x"], strict=True)])
    found = areas.groupby(owner)["area"].mean()
    expected = results.rows("summary", metric="roc_auc").set_index(owner)["mean"]
    np.testing.assert_allclose(found, expected[found.index], atol=0.005)
    bins = results.tables["calibration"].query("count > 0").groupby(owner)["observed"].agg(list)
    own = curves[curves["curve"] == "calibration"].set_index(owner)["y"]
    assert len(found) == len(own) == len(bins) == len(results.tables["calibration"]) / 10 == 6
    assert all(own[key] == values for key, values in bins.items())
    tables = {name: results.tables[name] for name in ("roc", "calibration", "learning_curve")}
    tables["calibration"] = tables["calibration"].assign(observed_lower=np.nan)
    stub = SimpleNamespace(study=results.study, tables=tables, analyses={})
    write_curves(stub, tmp_path / "curves.json")  # unknown limits are null
    written = json.loads((tmp_path / "curves.json").read_text(encoding="utf-8"))
    jsonschema.validate(written, json.loads(schema.read_text()))


def test_a_card_shows_recall_the_majority_and_the_features_with_their_direction(results):
    (block,) = blocks(answer.section(results), Cards)
    card = next(card for card in block.cards if card.title == "alpha")
    own = {"dataset": "alpha", "classifier": "xnb", "metric": "recall"}
    recall = results.rows("estimates", **own).set_index("class")
    assert [line.name for line in card.lines] == sorted(CLASSES["alpha"])
    for line in card.lines:
        told = recall.loc[line.name]
        assert (line.share, line.lower, line.upper) == (told.estimate, told.lower, told.upper)
    assert "the majority-class baseline 33.3%" in card.verdict  # three classes of twelve
    assert "AUC" not in card.facts  # three curves
    tumour = next(line for line in card.lines if line.name == "tumour <A>")
    first = tumour.items[0]
    assert first.text in {"probe_03", "probe_04", "probe_05"}  # shifted up by three in this class
    assert first.mark == "▲"
    assert first.note.endswith("100% of folds")


def test_two_classes_have_one_list_of_genes_as_the_second_class_has_them(results):
    (block,) = blocks(answer.section(results), Cards)
    card = next(card for card in block.cards if card.title == "GSE7904")
    assert card.of == "Features selected most often (▲ higher in “tumour”)"
    of_geo = replace(results, configuration={"datasets": {"GSE7904": {"source": "geo"}}})
    own = answer.card(of_geo, "GSE7904", "3-fold", "xnb")
    assert own.of == "Genes selected most often (▲ higher in “tumour”)"
    assert not any(line.items for line in card.lines)
    found = {item.text: (item.mark, float(item.note.split("AUC ")[1][:4])) for item in card.genes}
    assert len(found) == len(card.genes)
    higher = {"probe_03", "probe_04", "probe_05"} & set(found)  # the others are higher in normal
    lower = {SCRIPT, "probe_01", "probe_02"} & set(found)
    assert higher
    assert lower
    assert all(found[name][0] == "▲" and found[name][1] > 0.5 for name in higher)
    assert all(found[name][0] == "▼" and found[name][1] < 0.5 for name in lower)


@pytest.mark.parametrize(("as_good", "many"), [(5, False), (6, True)])
def test_a_card_has_the_gravest_finding_what_random_genes_reach(tmp_path, as_good, many):
    results = write_study(tmp_path, datasets=("alpha",))
    own = {"dataset": "alpha", "classifier": "xnb"}
    finding = {"check": "confounder", "subject": "plate", "p_holm": 0.0004}
    finding |= {"finding": "“plate” is distributed differently; to adjust, write adjust=plate"}
    results = with_rows(
        results,
        random_genes=[own | {"as_good_random": as_good, "signatures": 100}],
        audit=[own | finding | {"severity": "warning"}],
    )
    (block,) = blocks(answer.section(results), Cards)
    details = block.cards[0].details
    assert details["Random features"].startswith(f"{as_good} of 100 random signatures")
    assert ("one of many" in details["Random features"]) == many
    assert details["Audit"] == (
        "“plate” is distributed differently (adjusted p = 0.0004); to adjust, write adjust=plate."
    )


def test_the_next_step_corrects_the_design_before_data_and_data_before_more_samples(tmp_path):
    place = {"dataset": "alpha", "folds": "3-fold", "classifier": "xnb"}
    results = write_study(tmp_path, datasets=("alpha",))

    def steps(level="well supported", reasons="", **tables):
        found = changed(results, "verdicts", "classifier == 'xnb'", level=level, reasons=reasons)
        nothing = {name: [] for name in ("concordance", "audit", "suspects", "learning_curve")}
        rows = {name: [place | row for row in own] for name, own in (nothing | tables).items()}
        return [
            " ".join(re.findall(r"[^ :]+", s)[:4])
            for s in next_steps(with_rows(found, **rows), place)
        ]

    source = {"column": "source", "pairs": 0, "status": "cannot be separated", "handling": False}
    plate = {"column": "plate", "pairs": 9, "status": "cannot be examined", "handling": True}
    source, plate = source | {"inseparable": ""}, plate | {"inseparable": ""}
    wrong = [{"check": c, "severity": "severe"} for c in ("scale", "sex", "repeated sample")]
    data = {"audit": wrong, "suspects": [{"sample": "s7"}]}
    correct = ["leave copies of samples", "correct the scale of"]
    correct += ["check the samples whose", "check 1 label that"]
    curve = [{"kind": "forecast", "balanced_accuracy": share} for share in (0.7, 0.74)]
    both = {"concordance": [source, plate], "learning_curve": curve}
    assert steps(**data, **both) == ["compare the classes in", *correct]
    series = plate | {"pairs": 400, "inseparable": "adenoma and tumor"}
    assert steps(concordance=[series]) == ["compare the classes in"]
    second = "test the model on"
    assert steps(**data, concordance=[plate]) == [*correct, "repeat the study with", second]
    assert steps() == steps(concordance=[plate | {"status": "recognised"}]) == [second]
    assert steps(learning_curve=curve) == ["add samples (forecast 74%", second]
    assert steps(learning_curve=curve[:1] * 2) == ["more samples would add", second]
    assert steps(reasons="stability", learning_curve=curve) == ["add samples halves of", second]
    assert steps(reasons="stability unknown") == ["add samples with these", second]
    assert steps("not supported", "chance interval") == ["add samples"]


@pytest.mark.parametrize("p_value", [0.025, 0.0251])
def test_no_page_supports_what_permuted_labels_reach(tmp_path, p_value):
    """Where intervals lie above chance only p of the permutation test differs."""
    p_values = {("alpha", "xnb"): p_value, ("alpha", "nb"): 0.051, ("alpha", "forest"): 0.3}
    results = write_study(tmp_path, p_values=p_values)
    refused = 0
    for row in results.tables["verdicts"].to_dict("records"):
        p = p_values.get((row["dataset"], row["classifier"]), np.nan)
        assert np.array_equal(row["p_value"], p, equal_nan=True)
        where = {name: row[name] for name in ("dataset", "folds", "classifier")}
        balanced = results.rows("estimates", **where, metric="balanced_accuracy").iloc[0]
        above = balanced["lower"] > balanced["reference"]
        assert (row["level"] == "not supported") == (p > 0.025 or not above)
        assert ("permutation test" in row["reasons"]) == (p > 0.025)
        refused += above and p > 0.025
    assert refused == 2 + (p_value > 0.025)
    (cards,) = blocks(answer.section(results), Cards)
    card = next(card for card in cards.cards if card.title == "alpha")
    label_test = "Label test (naive Bayes with ten features per class): p ="
    assert f"{label_test} {p_value:.2g}." in card.details["Tests"]
    reason = "the permutation test does not exclude chance: 2 of 99 permutations were as good"
    assert (reason in card.verdict) == (card.level == "poor") == (p_value > 0.025)
    write_page(tmp_path / "p.html", "t", "l", [answer.section(results)], tmp_path / "figures")
    page = (tmp_path / "p.html").read_text()
    verdicts = re.findall(r'<p class="(?:verdict|headline)">(.*?)</p>', page, re.DOTALL)
    assert len(verdicts) == 3
    for text in verdicts:
        (anchor,) = re.findall(r'class="rule" href="#([\w-]+)"', text)
        assert page.count(f'id="{anchor}"') == 1


def test_a_second_cohort_in_which_it_did_not_hold_weakens_the_first_screen(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb", "xnb"))
    place = {"dataset": "alpha", "folds": "3-fold", "classifier": "xnb"}
    own = "classifier == 'xnb'"
    results = changed(results, "verdicts", own, level="well supported", reasons="")
    assert sentences.verdict(results, place).level == "well supported"
    keys = {"model": "xnb", "train": "alpha", "test": "two", "verdict": "did not hold"}
    path = results.root / contract.VALIDATION_TABLE.of(study="small", table="verdicts")
    report_study.write_declared(pd.DataFrame([keys]), path, contract.VALIDATION_TABLES["verdicts"])
    pair = Validation(model="xnb", train="alpha", test="two")
    results = replace(results, study=replace(results.study, validate=(pair,)))
    results = changed(results, "estimates", f"{own} and metric == 'recall'", above=False)
    results = changed(results, "verdicts", own, reasons="classes; copies")
    assert "samples of alpha are copies of others, known" in sentences.headline(results)
    found = sentences.verdict(results, place)
    assert found.level == "partly supported"
    assert found.sentence.startswith("Partly supported: XNB")
    named = ", ".join(f"“{label}”" for label in CLASSES["alpha"])
    assert f"{named} are not recognised" in found.sentence
    assert "group by group=) and it did not hold in the second cohort two." in found.sentence
    assert next_steps(results, place)[-1] == "find out why it did not hold in the second cohort two"


def test_a_classifier_that_was_chosen_of_two_has_corrected_intervals_and_p(tmp_path):
    p_values = {("alpha", "nb"): 0.02}
    results = write_study(tmp_path, ("nb", "forest"), ("alpha",), p_values)
    chosen = results.tables["headline"].iloc[0]
    assert (chosen["classifier"], chosen["candidates"]) == ("nb", 2)
    rows = results.rows("estimates", classifier="nb")
    assert not rows.duplicated(["dataset", "folds", "classifier", "metric", "class"]).any()
    assert set(rows["candidates"]) == {2}
    assert rows["level"].tolist() == pytest.approx([0.975] * len(rows))  # 1 - .05 / 2
    assert "chosen after looking, as the most accurate of 2" in sentences.headline(results)
    (cards,) = blocks(answer.section(results), Cards)
    (card,) = cards.cards
    assert (
        "p = 0.02. Naive Bayes was chosen after looking, out of 2; intervals are corrected"
        in (card.details["Tests"])
    )
    recall = rows[rows["metric"] == "recall"]
    assert [line.lower for line in card.lines] == recall["lower"].tolist()
    # neither selects features: the more accurate one is shown, without any
    wins = results.tables["averages"].set_index("classifier")["wins"]
    assert wins["nb"] == wins.max()
    assert explanation.section(results) is None
    assert not blocks(samples.section(results), kinds.Evidence)
    assert not any(line.items for line in card.lines)


NUMBER = re.compile(r"(?<![\d.])\d[\d,]*\.?\d*%?")


def agree(text, *values):
    """Whether a text has these numbers in this order, each to the digits that it shows."""
    found = [each.rstrip("%") for each in NUMBER.findall(text)]
    scales = [0.01 if each.endswith("%") else 1.0 for each in NUMBER.findall(text)]
    halves = [0.5 * 10.0 ** -len(each.partition(".")[2]) for each in found]
    return len(found) >= len(values) and all(
        abs(float(each.replace(",", "")) - value / scale) <= half * 1.001
        for each, scale, half, value in zip(found, scales, halves, values, strict=False)
    )


def test_the_numbers_of_a_quantity_agree_on_both_pages_and_in_the_manuscript(tmp_path):
    p_values = {("GSE7904", "xnb"): 0.02}
    results = write_study(tmp_path, ("nb", "xnb"), ("GSE7904",), p_values)
    place = {"dataset": "GSE7904", "folds": "3-fold", "classifier": "xnb"}
    (cards,) = blocks(answer.section(results), Cards)
    (card,) = cards.cards
    section = accuracy.section(results)
    found = results.rows("estimates", **place).set_index("metric")
    limits = ["estimate", "lower", "upper"]
    text = paragraphs(results)
    (line,) = (each for each in text.splitlines() if each.startswith("GSE7904, XNB: "))
    # accuracy, balanced accuracy and AUC, each with its interval
    overall, balanced, auc = (
        found.loc[name, limits].tolist() for name in ("accuracy", "balanced_accuracy", "roc_auc")
    )
    assert all(low < value < high for value, low, high in (overall, balanced, auc))
    text_of = sentences.headline(results).replace("95%", "").partition
    assert agree(text_of("accuracy of")[2], *overall, found.loc["accuracy", "reference"])
    assert agree(card.facts["Accuracy"], *overall)
    assert agree(card.verdict.partition("and an accuracy of")[2], overall[0])
    assert agree(line.partition("accuracy ")[2], overall[0])
    assert agree(column(blocks(section, Table)[0], "GSE7904", "XNB"), overall[0])
    (group,) = [g for g in drawn(section, "accuracy")["groups"] if g.label == "XNB"]
    assert [group.values, group.lower, group.upper] == [[each] for each in overall]
    assert agree(card.facts["Balanced accuracy"], *balanced)
    sentence = card.verdict.partition("balanced accuracy of")[2].replace("95%", "", 1)
    assert agree(sentence, *balanced)
    others = table_with(section, "roc_auc", "balanced_accuracy").frame
    others = others.set_index("classifier").loc["XNB"]
    assert others["balanced_accuracy"] == pytest.approx(balanced[0])
    assert agree(card.facts["AUC"], *auc)
    assert others["roc_auc"] == pytest.approx(auc[0])
    ((label, curve),) = drawn(section, "roc-GSE7904-3-fold")["curves"].items()
    assert agree(label.partition("AUC")[2], *auc)
    assert np.trapezoid(*reversed(curve)) == pytest.approx(auc[0], abs=0.005)
    # the number of features, and p of the permutation test
    used = results.rows("summary", **place, metric="features_per_class")["mean"].iloc[0]
    assert agree(card.facts["Features per class"], used)
    assert agree(sentences.headline(results).partition("it uses")[2], used)
    assert agree(line.partition("with ")[2], used) or f"{used:.1f}" in line
    assert others["features_per_class"] == used
    assert agree(card.details["Tests"].partition("p =")[2], 0.02)
    tests = table_with(section, "p_value").frame
    assert tests["p_value"].tolist() == [0.02]
    assert "p = 0.02" in text
    # the output of `xnbflow show`, and the model card
    series = DataSet.read(results.root / SERIES.of(dataset="GSE7904"))
    trained = [results.training(*place.values(), name) for name in ("predictions", "selected")]
    model = summary(final_model(series, resolved(report_study.ENTRIES["xnb"]), *trained, {}))
    measures = {"accuracy": overall}
    for line in card.lines:
        measures[f"recall of {line.name}"] = [line.share, line.lower, line.upper]
    texts = as_text(model, tmp_path), manuscript_card(model, "toy")
    for (name, values), output in itertools.product(measures.items(), texts):
        (row,) = re.findall(rf"^(?:  |\| ){name} .*", output, re.MULTILINE)
        assert agree(re.sub(r"\([^;)]*;| 95% interval", "", row.partition(name)[2]), *values)


def test_the_number_of_data_sets_where_it_is_the_most_accurate_is_that_of_the_marks(results):
    table = blocks(accuracy.section(results), Table)[0]
    marks = pd.Series([name for _, name in table.best]).value_counts()
    wins = results.tables["averages"].set_index("classifier")["wins"]
    wins = wins[wins > 0].rename(results.labels).to_dict()
    assert wins == marks.to_dict()
    cells = table.frame.set_index("dataset")
    for row, name in table.best:
        own = cells.iloc[row].drop("baseline").map(lambda cell: float(cell.split(" ")[0]))
        assert own[name] == own.max()


def test_a_number_passes_the_functions_that_are_drawn_and_at_most_eight(monkeypatch):
    """Every drawn function exists, and limits of shares pass those that are drawn, in order."""
    text = (ROOT / "workflow/README.md").read_text().partition("**The path of a number.**")[2]
    drawn_names = re.findall(r"^      (\w+)\.(\w+) ", text, re.MULTILINE)
    assert 2 < len(drawn_names) <= 8
    for module, name in drawn_names:
        (path,) = (p for p in SOURCE.rglob(f"{module}.py") if f"\ndef {name}(" in p.read_text())
    own, stacks = intervals.proportion_interval, set()

    def recorded(*arguments):
        frames = (f for f in inspect.stack() if f.filename.startswith(str(SOURCE)))
        stacks.add(tuple(f.function for f in frames if not f.function.startswith("<")))
        return own(*arguments)

    monkeypatch.setattr(intervals, "proportion_interval", recorded)
    report_study.make_study.__wrapped__(("nb",), ("alpha",), ())  # not an earlier one
    names = [name for _, name in drawn_names]
    path = tuple(reversed(names[: names.index("share_interval") + 1]))
    assert path in stacks


def test_a_headline_of_several_data_sets_counts_those_above_the_largest_class(tmp_path):
    results = changed(write_study(tmp_path), "estimates", "dataset == 'alpha'", estimate=0.9)
    text = sentences.headline(results)
    own = {"metric": "accuracy", "dataset": "GSE7904", "classifier": "xnb"}
    least = results.rows("estimates", **own)["estimate"].iloc[0]
    above = results.tables["headline"]["above"].iloc[0]
    assert text.startswith(
        f"XNB has an accuracy of {least:.1%} (GSE7904) to 90.0% (alpha); it is "
        f"above the majority-class rate on {above} of 2 data sets (p at most 0.025, corrected by"
    )
    wins = results.tables["averages"].set_index("classifier")["wins"]
    assert f"of 3 classifiers it is the most accurate on {wins['xnb']}, Naive Bayes on 2." in text


def test_every_number_has_a_file_beside_the_page(results):
    shown = [module.section(results) for module in MODULES if module is not methods]
    for section in shown:
        for each in report_study.unsourced(section.blocks, explanation, samples, accuracy):
            # Versions, and seconds that Snakemake recorded, are in no table of results.
            assert section.id == "overview"
            assert isinstance(each, Facts | Table)
        for file in report_study.sources(section.blocks):
            assert (results.folder / file).is_file(), file


def warnings_in(section):
    return [prose.text for prose in blocks(section, Prose) if prose.role == "warning"]


def test_failures_and_warnings_are_counted_quoted_and_stop_no_section(tmp_path):
    """A classifier that failed on a data set is neither right nor wrong there."""
    results = write_study(tmp_path, failed=("alpha/forest",), warned=("xnb",))
    section = overview.section(results)
    assert "6 fits failed: see what was run." in warnings_in(answer.section(results))
    assert warnings_in(section) == ["6 fits failed; 12 gave warnings."]
    table = table_with(section, "fits", "text")
    assert f"ValueError: {SCRIPT}" in set(table.frame["text"])
    assert set(table.frame["fits"]) == {6}
    section = accuracy.section(results)
    assert warnings_in(section) == [f"Not fitted in any fold: {CLASSIFIERS['forest']}."]
    names = {figure.name for figure in kinds.figures_of(section.blocks)}
    assert "confusion-alpha-3-fold-forest" not in names
    assert {"confusion-alpha-3-fold-nb", "confusion-GSE7904-3-fold-forest"} <= names
    _, of_alpha, of_other = blocks(samples.section(results), Table)
    assert set(of_alpha.frame[CLASSIFIERS["forest"]]) == {"not tested"}
    assert "not tested" not in set(of_other.frame[CLASSIFIERS["forest"]])
    assert all(module.section(results).blocks for module in (explanation, comparison))


def test_classes_with_fewer_samples_than_folds_are_warned_of(results):
    few = replace(results, configuration={"folds": {"3-fold": {"splits": 15}}})
    section = overview.section(few)
    # The three classes of alpha have 12 samples each, the two of GSE7904 have 18.
    assert "3 classes have fewer samples than there are folds" in warnings_in(section)[0]
    assert set(table_with(section, "class").frame["dataset"]) == {"alpha"}
    assert warnings_in(overview.section(results)) == []


def test_a_study_in_which_everything_failed_has_a_report_that_says_so(tmp_path):
    results = write_study(tmp_path, failed=tuple(CLASSIFIERS))
    write_report(results, tmp_path / "report.html", tmp_path / "figures", threads=1)
    assert "No classifier could be fitted" in (tmp_path / "report.html").read_text()


def test_folds_versions_and_seconds_are_in_the_overview(results):
    first = {"study": results.study.id, "folds": "3-fold", "job": "main"}
    for dataset, seconds in (("alpha", 8), ("other", 100)):
        path = usage_of("classify").of(dataset=dataset, **first)
        names = "seconds\tprocessor_seconds\tmax_memory_mb"
        put(results.root, f"{names}\n{seconds / 2}\t{seconds}\t300\n", path)
    section = overview.section(results)
    facts = {k: v for block in blocks(section, Facts) for k, v in block.items.items()}
    assert facts["Folds"] == "3-fold (splits: 3, repeats: 2)"
    assert facts["numpy"] == np.__version__
    assert facts["Processor time"] == "8 s, all jobs together, without this page"
    assert table_with(section, "stage").frame.to_numpy().tolist() == [["classify", 1, 8, 4, 300]]


def test_accuracy_is_mean_spread_and_the_best_marked_beside_the_largest_class(results):
    section = accuracy.section(results)
    levels = ("largest class", pytest.approx([1 / 3, 1 / 2]))
    assert drawn(section, "accuracy")["levels"] == levels
    table = blocks(section, Table)[0]
    metrics = results.tables["metrics"].query("dataset == 'alpha'")
    folds = metrics.groupby("classifier")["accuracy"]
    pooled = results.rows("estimates", dataset="alpha", metric="accuracy")
    pooled = pooled.set_index("classifier")["estimate"]
    repeats = metrics.groupby(["classifier", "repeat"])["accuracy"].mean()
    cell = column(table, "alpha", "XNB")
    spread = repeats["xnb"].std()
    assert cell == f"{pooled['xnb']:.3f} ± {folds.std()['xnb']:.3f} ({spread:.3f})"
    best = CLASSIFIERS[pooled.idxmax()]
    assert (0, best) in table.best


def test_selected_features_have_frequency_distances_planted_class_and_dependence(results):
    section = explanation.section(results)
    matrix = drawn(section, "selected-alpha-3-fold-xnb")
    rows, columns = matrix["rows"], matrix["columns"]
    assert matrix["values"][rows.index(SCRIPT), columns.index("healthy")] == 1
    assert (rows.index("probe_03"), columns.index("tumour <A>")) in matrix["outlined"]
    marks = dict(zip(rows, matrix["marks"], strict=True))
    assert (marks[SCRIPT], marks["probe_01"], marks["probe_03"]) == ("a", "a", "")
    row = table_with(section, "frequency").frame.set_index(["feature", "class"])
    row = row.loc[SCRIPT, "healthy"]
    distances = results.training("alpha", "3-fold", "xnb", "distances")
    apart = distances.set_index(["class", "feature", "other_class"])["distance"].sort_index()
    far = apart.loc["healthy", SCRIPT, "tumour B"]
    assert row["to tumour B"] == pytest.approx(far.mean())
    assert np.isnan(row["to healthy"])


def test_dependent_pairs_are_correlations_of_residuals(results):
    series = DataSet.read(results.root / SERIES.of(dataset="alpha"))
    pairs = dependent_pairs(series, list(series.features), cut=0.5)
    assert pairs[["feature", "other"]].iloc[0].tolist() == [SCRIPT, "probe_01"]
    residuals = series.values.copy()
    for label in series.classes:
        mine = series.labels == label
        residuals[:, mine] -= residuals[:, mine].mean(axis=1, keepdims=True)
    assert pairs["r"].iloc[0] == pytest.approx(np.corrcoef(residuals[0], residuals[1])[0, 1])
    others = np.abs(np.corrcoef(residuals)[np.triu_indices(len(residuals), 1)])
    assert len(pairs) == (others > 0.5).sum()


def test_every_explanation_of_a_page_has_the_predicted_class_and_probabilities(tmp_path):
    results = write_study(tmp_path, classifiers=("xnb", "priors", "calibrated"))
    page = tmp_path / "page.html"
    write_page(page, "t", "l", [samples.section(results)], tmp_path / "figures")
    (script,) = re.findall(r'<script type="application/json">(.*?)</script>', page.read_text())
    models = {model["name"]: model for model in json.loads(script)}
    shown = [key for key in results.study.trained if key[::2] != ("GSE7904", "priors")]
    assert len(models) == len(shown)  # two classes do not fit three priors
    for key in shown:
        model = models[f"{results.place(*key[:2])}: {results.labels[key[2]]}"]
        place = dict(zip(("dataset", "folds", "classifier"), key, strict=True))
        predictions = results.training(*key, "predictions", repeat=0).set_index("sample")
        evidence = dict(list(results.rows("evidence", **place).groupby(["sample", "class"])))
        priors = results.rows("priors", **place).set_index(["fold", "class"])["log_offset"]
        assert {each[0] for each in model["samples"]} == set(predictions.index)
        for name, true, predicted, told in model["samples"]:
            row = predictions.loc[name]
            assert [model["classes"][k] for k in (true, predicted)] == [row.true, row.predicted]
            joint = []
            for label, parts in zip(model["classes"], told, strict=True):
                *sums, probability, n_others, others, drawn = parts
                own = evidence.get((name, label), results.tables["evidence"][:0])
                expected = [priors[row.fold, label], *own[["evidence", "log_reference"]].sum()]
                joint.append(sum(expected))
                assert sums == pytest.approx([*expected, joint[-1]], abs=0.0051)
                assert probability == pytest.approx(np.exp(row[f"log_posterior.{label}"]), rel=1e-5)
                terms = own.set_index("feature")["evidence"]
                names = [model["features"][k] for k, _ in drawn]
                assert [value for _, value in drawn] == pytest.approx(terms[names], abs=0.0051)
                rest = terms.drop(names)  # the smaller ones
                assert (n_others, others) == (len(rest), pytest.approx(rest.sum(), abs=0.0051))
                assert rest.abs().max() <= terms[names].abs().min() or rest.empty
            # The tables add up to the classifier's own posterior, which decides on the label.
            posterior = row[[f"log_posterior.{label}" for label in model["classes"]]]
            np.testing.assert_allclose(joint - logsumexp(joint), posterior.astype(float), atol=1e-6)


def test_with_too_many_samples_the_misclassified_stay(tmp_path, monkeypatch):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("xnb",))
    everything = contributions(results, "alpha", "3-fold", "xnb")
    wrong = {s[0] for s in everything["samples"] if s[1] != s[2]}
    assert everything["left_out"] == 0
    drawn = sum(len(parts[-1]) for sample in everything["samples"] for parts in sample[3])
    numbers = 2 * drawn / 36 + 7 * 3
    monkeypatch.setattr(samples, "MOST_NUMBERS", int(numbers * (len(wrong) + 2.5)))
    some = contributions(results, "alpha", "3-fold", "xnb")
    assert wrong < {s[0] for s in some["samples"]}
    assert len(some["samples"]) == len(wrong) + 2
    assert some["left_out"] == 36 - len(some["samples"])


def test_labels_to_check_are_those_that_all_of_several_classifiers_predict_alike(tmp_path):
    study = Study(
        id="s",
        title="",
        summary="",
        datasets=("d",),
        classifiers=("nb", "xnb"),
        folds=("f",),
        diagnostics=False,
        analyses={},
    )
    results = StudyResults(study, {"nb": "NB", "xnb": "XNB"}, {}, tmp_path)
    row = {"true": "a", "predicted": "b", "suspect": True, "probability": 0.97, "margin": 0.9}
    rows = [
        {**row, "classifier": "nb", "sample": "both", "probability": 0.91, "margin": 0.5},
        {**row, "classifier": "xnb", "sample": "both"},
        {**row, "classifier": "nb", "sample": "one", "suspect": False},
        {**row, "classifier": "xnb", "sample": "one"},
        {**row, "classifier": "nb", "sample": "other class"},
        {**row, "classifier": "xnb", "sample": "other class", "predicted": "c"},
        {**row, "classifier": "nb", "sample": "tested by one"},
    ]
    table = suspects(pd.DataFrame(rows).assign(dataset="d", folds="f"))
    (group,) = answer._suspects(with_rows(results, suspects=table))
    assert group.blocks[0].frame.to_numpy().tolist() == [["d", "both", "a", "b", 0.91, 0.7]]
    for none in (rows[2:], []):
        table = suspects(pd.DataFrame(none, columns=[*rows[0]]).assign(dataset="d", folds="f"))
        assert answer._suspects(with_rows(results, suspects=table)) == []


def test_what_a_single_column_of_the_phenotype_says_is_said_once():
    class Tables(dict):
        def sources(self, *_):
            return []

        show = sources

    def row(check, subject, severity="severe"):
        said = {"check": check, "subject": subject, "finding": f"{check}!"}
        return said | {"dataset": "d", "severity": severity}

    rows = [row("confounder", "day"), row("phenotype only", "day"), row("phenotype only", "a, day")]
    copied = [row("repeated sample", f"s{i}") | {"dataset": "e"} for i in range(3)]
    known = pd.DataFrame(copied + rows).assign(p_holm=np.nan)
    text = audit.most_serious(SimpleNamespace(tables=Tables(audit=known)), "d")
    assert text == "day: confounder!. 1 other finding below."
