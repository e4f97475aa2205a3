"""Everything that can be known is checked before anything runs, in a sentence a person can use."""

import copy
import math
import random
import string
from pathlib import Path

import pytest
import yaml

from xnbflow.data.errors import InputError
from xnbflow.data.sources.sheet import read_sheet
from xnbflow.workflow.config import RULES, read_config, read_sheets

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow/schemas/config.schema.json"
RAW = yaml.safe_load((ROOT / "config/config.yaml").read_text())
DATASETS = list(read_sheets({"own": ROOT / "config/datasets.tsv"})[0])
MOST_CHARACTERS = 300


def refused(raw):
    with pytest.raises(InputError) as error:
        read_config(raw, SCHEMA, DATASETS)
    assert len(str(error.value)) <= MOST_CHARACTERS
    return str(error.value)


def with_classifier(entry):
    return RAW | {"classifiers": RAW["classifiers"] | {"mine": {"label": "Mine"} | entry}}


def with_study(**changes):
    return RAW | {"studies": RAW["studies"] | {"mine": {"title": "Mine"} | changes}}


XNB = {"method": "xnb"}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"method": "xnbb"}, "classifiers.mine.method: unknown method 'xnbb'; did you mean 'xnb'?"),
        ({**XNB, "params": {"treshold": 0.9}}, "unknown key 'treshold'; did you mean 'threshold'?"),
        ({**XNB, "params": {"threshold": 2}}, "threshold: found 2; use a number above 0 and below"),
        ({**XNB, "params": {"threshold": math.inf}}, "threshold: found inf; use a number above 0"),
        ({**XNB, "params": {"n_grid": 50.0}}, "n_grid: found 50.0; use a whole number"),
        ({**XNB, "params": {"n_grid": True}}, "n_grid: found True; use a whole number"),
        ({**XNB, "params": {"kernel": "gausian"}}, "unknown 'gausian'; did you mean 'gaussian'?"),
        ({**XNB, "params": {"min_distance": "men"}}, "found 'men'; use mean or a number of at"),
        ({"method": "sklearn.svm.LinearSVX"}, "sklearn.svm has no LinearSVX; did you mean 'Lin"),
        ({"method": "sklearn.svmm.LinearSVC"}, "there is no module sklearn.svmm"),
        ({"method": "no_package.Model"}, "there is no module no_package"),
        ({"method": "subprocess.Popen", "params": {"args": "false"}}, "is no estimator"),
        ({"method": "cica"}, "cica is a transformer; give a classifier"),
        ({"steps": [XNB, XNB]}, "xnb is a classifier; give a transformer"),
        ({"method": "m" * 300}, "unknown method"),
        ({"method": "sklearn.svm." + "m" * 300}, "the path is too long"),
        ({"method": "von_mises_nb", "params": {"angular": "@angulr"}}, "did you mean '@angular'?"),
        (
            {"method": "selective_nb", "params": {"estimator": {"method": "gausian_nb"}}},
            "params.estimator.method: unknown method 'gausian_nb'; did you mean 'gaussian_nb'?",
        ),
        (
            {"method": "hybrid_nb", "params": {"groups": [["a", "gausian", "@linear"]]}},
            "params, groups",
        ),
    ],
)  # fmt: skip
def test_a_classifier_s_mistake_is_told_with_its_place_and_the_nearest_name(entry, message):
    assert message in refused(with_classifier(entry))


def test_nothing_of_an_import_path_is_run(tmp_path, monkeypatch):
    marker = tmp_path / "ran"
    (tmp_path / "trap.py").write_text(f"open({str(marker)!r}, 'w')\nclass Model:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "trap has no Modell" in refused(with_classifier({"method": "trap.Modell"}))
    read_config(with_classifier({"method": "trap.Model"}), SCHEMA, DATASETS)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"analyses": {"efects": {}}}, "unknown analysis 'efects'; did you mean 'effects'?"),
        ({"analyses": {"../../../x": {}}}, "unknown analysis '../../../x'"),
        ({"analyses": {5: {}}}, "found 5; use text"),
        ({"analyses": {"cica": 5}}, "analyses.cica: found 5; use a mapping or null"),
        ({"analyses": {"cica": {"params": {"seed": 5}}}}, "'seed'; did you mean 'seeds'?"),
        ({"analyses": {"cica": {"params": {"seeds": 0}}}}, "seeds: found 0; use a whole number"),
        (
            {"analyses": {"effects": {"params": {"tune": {"spam": [1]}}}}},
            "unknown key 'spam'; did you mean 'span'?",
        ),
        (
            {"analyses": {"effects": {"params": {"tune": {"span": [0.3, 3]}}}}},
            "span: found 3; use a number above 0 and at most 1",
        ),
        ({"paper": {"xnbb": "xnb"}}, "unknown key 'xnbb'; did you mean 'xnb'?"),
        (
            {
                "datasets": ["wine"],
                "classifiers": ["nb"],
                "folds": ["10-fold"],
                "paper": {"nb": "xnb"},
            },
            "paper.nb: unknown classifier 'xnb'",
        ),
    ],
)  # fmt: skip
def test_a_study_s_mistake_is_told(changes, message):
    assert message in refused(with_study(**changes))


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_s_name_is_no_study_s(name):
    studies = RAW["studies"] | {name: {"title": "x"}}
    assert f"{name!r} is the name of a rule" in refused(RAW | {"studies": studies})


def test_the_rules_are_those_of_the_workflow():
    text = "".join(
        path.read_text()
        for path in [ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
    )
    found = {
        line.split()[1].strip(":")
        for line in text.splitlines()
        if line.startswith("rule ") and line.endswith(":")
    }
    assert found | {"classify"} == RULES  # its rules have the names of schemes and classifiers


@pytest.mark.parametrize("key", [5, 1.5, True, None, "", "a" * 61, "a/b", ".x", "a\nb"])
@pytest.mark.parametrize("place", ["studies", "classifiers", "folds"])
def test_what_cannot_name_a_folder_is_no_id(place, key):
    entry = {"studies": {"title": "x"}, "classifiers": {"label": "x", "method": "xnb"}}
    entry["folds"] = {"splits": 2}
    assert place in refused(RAW | {place: RAW[place] | {key: entry[place]}})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"folds_per_job": 5.0}, "folds_per_job: found 5.0; use 'all' or a whole number"),
        ({"folds_per_job": True}, "folds_per_job: found True"),
        ({"folds": {"x": {"splits": 3.0}}}, "splits: found 3.0; use a whole number of at least"),
        ({"folds": {"x": {"file": "~nobody-here/x"}}}, "there is no such home"),
        ({"folds": {"x": {"file": "http://[bad/x"}}}, "is no URL"),
        ({"folds": {"x": {"file": "a" * 300}}}, "more than 255 bytes"),
        ({"download": RAW["download"] | {"timeout": math.inf}}, "timeout: found inf; use a number"),
        ({"download": RAW["download"] | {"timeout": math.nan}}, "timeout: found nan; use a number"),
        ({"download": RAW["download"] | {"least_rat": 1}}, "did you mean 'least_rate'?"),
        (
            {"download": RAW["download"] | {"base_urls": {"cumidda": ["x"]}}},
            "base_urls: unknown source 'cumidda'; did you mean 'cumida'?",
        ),
        (
            {"download": RAW["download"] | {"base_urls": {"cumida": ["http://[bad"]}}},
            "download.base_urls.cumida: 'http://[bad' is no URL",
        ),
        ({"run": [None]}, "run.0: found None; use text"),
        ({"sheets": []}, "sheets: found 0 items; give at least 1"),
    ],
)
def test_a_value_of_another_kind_is_told(change, message):
    assert message in refused(RAW | change)


ODD = [
    None, True, False, 0, -1, 5, 5.0, 1e308, math.inf, math.nan, "", "x", "a" * 300, "../../x",
    "\0", [], {}, [None], [[]], {"method": 5}, {"method": "xnb", "steps": []}, {5: 5},
    {None: None}, ["x", "x"], "~nobody-here/x", "http://[bad/x", "@linear", "@x", 10**400,
    b"\xff", {"steps": [{}]},
]  # fmt: skip


def told(call):
    """What a person is told of an `InputError`; nothing if there is none."""
    try:
        call()
    except InputError as error:
        return str(error)
    return ""


def mutated(value, rng):
    """A configuration with one part replaced, removed, renamed or doubled, wherever it is."""
    raw = copy.deepcopy(value)
    place, key = raw, rng.choice(list(raw))
    while isinstance(place[key], (dict, list)) and place[key] and rng.random() < 0.8:
        place = place[key]
        key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
    kind = rng.randrange(4)
    if kind == 0:
        place[key] = copy.deepcopy(rng.choice(ODD))
    elif kind == 1:
        del place[key]
    elif isinstance(place, list):
        place.append(copy.deepcopy(rng.choice([*ODD, place[key]])))
    elif kind == 2:
        new = rng.choice([5, None, True, 2.5, "", f"{key}s", "../x", "a" * 300])
        place[new] = place.pop(key)
    else:
        place["".join(rng.choices(string.printable, k=5))] = copy.deepcopy(rng.choice(ODD))
    return raw


@pytest.mark.parametrize("seed", range(4))
def test_no_configuration_raises_anything_else(seed):
    rng = random.Random(seed)
    small = RAW | {"studies": {k: RAW["studies"][k] for k in ("demo", "spam", "cica")}, "run": []}
    used = {name for study in small["studies"].values() for name in study.get("classifiers", [])}
    small["classifiers"] = {k: v for k, v in RAW["classifiers"].items() if k in used}
    assert not told(lambda: read_config(small, SCHEMA, DATASETS))
    outcomes = []
    for _ in range(150):
        raw = small
        for _ in range(rng.randint(1, 3)):
            raw = mutated(raw, rng)
            if not raw:
                break
        outcomes.append(told(lambda: read_config(raw, SCHEMA, DATASETS)))  # noqa: B023
    assert sum(map(bool, outcomes)) > 50
    assert max(map(len, outcomes)) <= MOST_CHARACTERS


CELLS = [
    "", "x", "-1", "0", "9" * 5000, "5.0", "a" * 200_000, "../x", "~nobody-here/x", "http://[bad/x",
    "http://", "file=ok/", "file=../x", "seed=" + "9" * 400, "a=b=c", "\x01", "=1+1", "ä", "٣",
    "file://[x", "https://h/" + "p" * 400, "n" * 300, "rows=1;rows=2", ";;;", "angular=,,", "uci",
]  # fmt: skip


def test_no_sheet_raises_anything_else(tmp_path):
    rng = random.Random(0)
    lines = (ROOT / "config/datasets.tsv").read_text().splitlines()
    path = tmp_path / "sheet.tsv"
    outcomes = []
    for _ in range(400):
        rows = [line.split("\t") for line in [lines[0], *rng.sample(lines[1:], 2)]]
        for _ in range(rng.randint(1, 3)):
            row = rng.choice(rows)
            row[rng.randrange(len(row))] = rng.choice(CELLS)
        data = "\n".join("\t".join(row) for row in rows).encode()
        if rng.random() < 0.3:
            cut = rng.randrange(len(data))
            data = data[:cut] + rng.randbytes(3) + data[cut:]
        path.write_bytes(data)
        outcomes.append(told(lambda: read_sheet(path)).replace(str(path), "sheet.tsv"))
    assert sum(map(bool, outcomes)) > 200
    assert max(map(len, outcomes)) <= MOST_CHARACTERS


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a\ttable\t~nobody-here/x.csv", "there is no such home"),
        ("a\ttable\thttp://[bad/x.csv", "is no URL"),
        ("a\ttable\thttps:///x.csv", "without a host"),
        (f"a\ttable\t{'n' * 300}.csv", "more than 255 bytes"),
        (f"{'a' * 61}\tbundled\twine", "is not a name of a file"),
    ],
)
def test_a_place_that_cannot_be_is_told_by_its_row(tmp_path, row, message):
    path = tmp_path / "sheet.tsv"
    path.write_text(f"id\tsource\tlocation\tlabel\n{row}\tlabel\n")
    with pytest.raises(InputError, match=message):
        read_sheet(path)


@pytest.mark.parametrize("options", ["file=ok/", "file=../x", "file=/etc/passwd"])
def test_a_file_of_a_source_stays_below_its_place(tmp_path, options):
    path = tmp_path / "sheet.tsv"
    path.write_text(f"id\tsource\tlocation\toptions\na\tuci\tmagic\t{options}\n")
    with pytest.raises(InputError, match="is not the path of a file below the base URLs"):
        read_sheet(path)


def test_a_folder_is_no_sheet(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_sheet(tmp_path)


# steps of data sets


LOG = {"method": "log2", "reason": "intensities"}


def with_steps(steps, dataset="wine"):
    return RAW | {"preprocessing": {dataset: steps}}


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{"method": "log2"}], "preprocessing.wine.0: 'reason' is a required property"),
        ([], "preprocessing.wine"),
        ([LOG | {"method": "log3"}], "preprocessing.wine.0.method: unknown method 'log3'; did you"),
        ([LOG, LOG | {"params": {"ofset": 1}}], "unknown key 'ofset'; did you mean 'offset'"),
        ([LOG | {"method": "xnb"}], "xnb is a classifier; give a transformer"),
    ],
)
def test_wrong_steps_of_a_data_set_are_told(steps, message):
    assert message in refused(with_steps(steps))


def test_steps_of_an_unknown_data_set_are_told():
    assert "preprocessing: unknown data set 'wines'; did you mean" in refused(
        with_steps([LOG], "wines")
    )


def test_steps_of_a_data_set_are_not_put_before_a_classifier_that_counts_columns():
    raw = with_study(datasets=["wine"], classifiers=["vmnb"], folds=["10-fold"])
    assert "which names columns (@angular)" in refused(raw | {"preprocessing": {"wine": [LOG]}})


def test_steps_of_a_data_set_stand_before_every_classifier_of_it_and_no_reason_changes_results():
    ranks = {"method": "sample_ranks", "reason": "of the study"}
    mine = {"label": "Mine", "steps": [LOG | {"reason": "of mine"}, {"method": "gaussian_nb"}]}
    raw = with_steps([ranks]) | {"classifiers": RAW["classifiers"] | {"mine": mine}}
    config = read_config(raw, SCHEMA, DATASETS)
    assert config.methods("mine", "wine") == ["sample_ranks", "log2", "gaussian_nb"]
    assert config.methods("csnb", "wine") == ["sample_ranks", "csnb"]
    assert config.methods("csnb", "digits") == ["csnb"]
    assert config.classifier("csnb", "digits") == config.classifier("csnb")
    paths = [
        step["method"].rpartition(".")[2] for step in config.classifier("mine", "wine")["steps"]
    ]
    assert paths == ["SampleRanks", "Log2", "GaussianNB"]
    ranks["reason"] = mine["steps"][0]["reason"] = "another"
    again = read_config(raw, SCHEMA, DATASETS)
    assert again.classifier("mine", "wine") == config.classifier("mine", "wine")
