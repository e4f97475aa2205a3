"""A quantity has one number, wherever it is printed: page, figures, `show`.

80 samples, 40 of either class: shares of them are ties of decimals (57 of 80 are 71.25%). Every
decimal and percentage that is next to an estimate, but is no quantity of the study rounded, is
another number of the same quantity.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from importlib.resources import files

import numpy as np
import pytest
from study_files import StudyFiles, configuration

from xnbflow.core.study import Study
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.models.final import final_model
from xnbflow.report.page.page import write_page
from xnbflow.report.results import StudyResults
from xnbflow.report.study_page import _sections_of
from xnbflow.running.cli.model_texts import model_summary, summary_text
from xnbflow.tables.contract import MODEL

ENTRIES = {
    "csnb": resolved({"method": "csnb_cv", "params": {"cv": 3}}),
    "nb": resolved({"method": "gaussian_nb"}),
}
LABELS = {"csnb": "CSNB", "nb": "NB"}
STUDY = Study(
    id="s",
    title="S",
    summary="",
    datasets=("odd",),
    classifiers=tuple(ENTRIES),
    folds=("3-fold",),
    diagnostics=True,
    analyses={},
    final=("csnb",),
)
#: Sections that print no estimates of a classifier, but hundreds of other decimals.
OF_FEATURES = {"genes", "signature", "samples", "explanation"}
#: A group of such numbers in another section.
GROUP_OF_FEATURES = "Assumptions of naive Bayes"
#: By digits, the distance from an estimate at which a number is taken for it: with three digits one
#: and a half units, as a mean over folds may be; with two digits little more than half a unit.
NEXT_TO = {3: 0.0015, 2: 0.006}


def series(effect, seed):
    """Return 40 samples of each of two classes, which four of 30 features separate in part."""
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1], 40)
    values = rng.normal(size=(30, 80))
    values[:4] += effect * codes
    return DataSet(
        "odd",
        values,
        features=[f"p{i:02}" for i in range(30)],
        samples=[f"s{i}" for i in range(80)],
        labels=np.array(["a", "b"])[codes],
    )


@dataclass(frozen=True, kw_only=True)
class Printed:
    """The estimates of a study, and the texts that print them, by place.

    ``further`` are other quantities that these texts print: metrics, coverages, AUCs of features.
    ``contents`` are the JSON of the page's figures.
    """

    estimates: dict[str, float]
    further: list[float]
    texts: dict[str, str]
    contents: list[str]


def printed(folder, effect, seed):
    """Write a study with a model, and return its estimates and texts."""
    data = series(effect, seed)
    study_files = StudyFiles(folder)
    study_files.put_series(data)
    folds = draw_folds(data, 3, 1)
    trained = {name: train(data, folds, entry) for name, entry in ENTRIES.items()}
    place = {"study": "s", "dataset": "odd", "folds": "3-fold", "job": "main"}
    study_files.put_stacked("training", trained, **place)
    tables = {name: trained["csnb"][name] for name in ("predictions", "selected")}
    model = final_model(data, ENTRIES["csnb"], **tables, origin={})
    study_files.put_model(model, data, "s", "odd", "csnb")
    study_files.compare(STUDY, LABELS, ENTRIES)
    results = StudyResults(
        STUDY, LABELS, configuration(STUDY, {"odd": "table"}, ENTRIES), root=folder
    )

    sections = [
        replace(
            each,
            blocks=[
                block for block in each.blocks if getattr(block, "title", "") != GROUP_OF_FEATURES
            ],
        )
        for each in _sections_of(results)
        if each.id not in OF_FEATURES
    ]
    page = folder / "page.html"
    write_page(page, "S", lead="", sections=sections)
    html = page.read_text()
    contents = re.findall(r'(?s)<script type="application/json"[^>]*>(.*?)</script>', html)
    html = re.sub(r"(?s)<style.*?</style>|<script.*?</script>", " ", html)
    path = folder / MODEL.of(study="s", dataset="odd", classifier="csnb")
    described = model_summary(model, path)
    texts = {
        "page": re.sub(r"<[^>]+>", " ", html),
        "show": summary_text(described, path),
    }
    estimates = {}
    for row in results.tables["estimates"].to_dict("records"):
        for name in ("estimate", "lower", "upper", "reference"):
            estimates[f"{row['classifier']} {row['metric']} {row['class']} {name}"] = row[name]
    means = results.tables["summary"].query("metric != 'accuracy'")["mean"]
    sets = results.tables["sets"][["coverage", "lower", "upper"]].to_numpy().ravel()
    areas = results.genes("odd", "auc")["auc"]
    further = [*means, *sets, *areas]
    return Printed(estimates=estimates, further=further, texts=texts, contents=contents)


def numbers_in(text, digits):
    """Return the decimals of so many digits in a text, and percentages with two fewer."""
    decimals = re.findall(rf"(?<![\d.])0\.\d{{{digits}}}(?!\d)", text)
    after = rf"\.\d{{{digits - 2}}}" if digits > 2 else ""
    percentages = re.findall(rf"(?<![\d.])\d{{1,3}}{after}(?=%)", text)
    shares = [round(float(number) / 100, digits) for number in percentages]
    return [*map(float, decimals), *shares]


def rounded(value, digits):
    """Return an estimate as its percentage is rounded."""
    return round(float(f"{value:.{digits - 2}%}".removesuffix("%")) / 100, digits)


def other_numbers(study, place):
    """Return the numbers of a place that are next to an estimate, and are none rounded."""
    estimates = list(study.estimates.values())
    wrong = []
    for digits, next_to in NEXT_TO.items():
        allowed = {rounded(value, digits) for value in [*estimates, *study.further]}
        for number in numbers_in(study.texts[place], digits):
            distance = min(abs(number - value) for value in estimates)
            if distance < next_to and number not in allowed:
                wrong.append(number)
    return wrong


@pytest.fixture(scope="module", params=[(1.0, 0), (1.2, 29)], ids=["57 of 80", "37 of 40"])
def study(request, tmp_path_factory):
    return printed(tmp_path_factory.mktemp("study"), *request.param)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["page", "show"])
def test_each_estimate_has_one_number(study, place):
    accuracy = study.estimates["csnb accuracy  estimate"]
    assert rounded(accuracy, 3) in numbers_in(study.texts[place], 3)
    assert not other_numbers(study, place)


def test_the_study_has_ties_that_python_rounds_in_two_ways(study):
    """Otherwise the test above could not fail by rounding."""
    differing = [
        name
        for name, value in study.estimates.items()
        for digits in NEXT_TO
        if float(f"{value:.{digits}f}") != rounded(value, digits)
    ]
    assert differing


def test_means_over_folds_would_be_found(study):
    """Folds have 27, 27 and 26 samples, so that a mean over folds is another number."""
    accuracy = rounded(study.estimates["csnb accuracy  estimate"], 3)
    text = f"accuracy {accuracy - 0.001:.3f} and {accuracy + 0.001:.3f}"
    assert other_numbers(replace(study, texts={"page": text}, further=[]), "page")


def test_the_figure_of_accuracies_has_the_estimates(study):
    (content,) = (text for text in study.contents if "largest class" in text)
    for classifier in ENTRIES:
        accuracy = study.estimates[f"{classifier} accuracy  estimate"]
        assert re.search(rf"(?<![\d.]){accuracy:.5g}(?!\d)", content)


def test_tips_of_figures_round_as_tables_do():
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    charts = files("xnbflow.report.page").joinpath("templates/charts.js").read_text("utf-8")
    (function,) = re.findall(r"(?ms)^function numberText\(value\) \{.*?^\}", charts)
    shares = [right / n for n in (16, 40, 48, 80, 90, 160) for right in range(n // 10 + 1, n)]
    program = f"{function}\nconsole.log({shares}.map(numberText).join(' '))"
    done = subprocess.run([node, "-e", program], capture_output=True, text=True, check=True)
    assert list(map(float, done.stdout.split())) == [rounded(share, 3) for share in shares]
