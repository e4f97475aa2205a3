"""The configuration and the sheets are checked before anything runs, in a sentence each."""

import copy
import math
import random
import re
import string
from pathlib import Path

import pytest
import yaml

from xnbflow.data.dataset import KINDS
from xnbflow.data.errors import InputError
from xnbflow.data.sources.sheet import read_sheet
from xnbflow.evaluation.build import build_estimator
from xnbflow.workflow.config import RULES, Batch, Folds, read_config, read_sheets

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow/schemas/config.schema.json"
RAW = yaml.safe_load((ROOT / "config/config.yaml").read_text())
DATASETS = list(read_sheets({"own": ROOT / "config/datasets.tsv"})[0])
MOST_CHARACTERS = 300
XNB, LOG = {"method": "xnb"}, {"method": "log2", "reason": "intensities"}
DEMO = ("studies", "demo")
URLS = ("download", "base_urls")
STEPS = ("preprocessing", "wine")
PAIR = {"model": "csnb", "train": "wine", "test": "digits"}


def changed(*path, value):
    """The project's configuration with another value, of a key that may be new."""
    raw = copy.deepcopy(RAW)
    place = raw
    for key in path[:-1]:
        place = place.setdefault(key, {})
    place[path[-1]] = value
    return raw


def checked(raw):
    return read_config(raw, SCHEMA, DATASETS)


def refused(raw):
    with pytest.raises(InputError) as error:
        checked(raw)
    assert len(str(error.value)) <= MOST_CHARACTERS
    return str(error.value)


def with_classifier(entry):
    return changed("classifiers", "mine", value={"label": "Mine", **entry})


def test_every_default_classifier_can_be_built():
    config = checked(RAW)
    columns = {kind: [0] for kind in KINDS}
    for name in config.classifiers:
        assert hasattr(build_estimator(config.classifier(name), columns), "fit")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ((*DEMO, "classifiers"), ["xbn"], "unknown classifier 'xbn'; did you mean 'xnb'"),
        ((*DEMO, "datasets"), ["wines"], "unknown data set 'wines'; did you mean 'wine'"),
        ((*DEMO, "folds"), ["9-fold"], "unknown scheme of folds '9-fold'"),
        ((*DEMO, "folds"), [], "belong together"),
        ((*DEMO, "permutations"), {"gnb": 2}, "permutations: unknown classifier 'gnb'"),
        ((*DEMO, "final"), ["gnb"], "final: unknown classifier 'gnb'"),
        (
            (*DEMO, "validate"),
            [PAIR | {"test": "wine"}],
            "[0]: 'wine' is no second cohort",
        ),
        ((*DEMO, "validate"), [PAIR] * 2, "studies.demo.validate[0]: "),
        ((*DEMO, "validate"), [PAIR | {"model": "gnb"}], "[0].model: unknown classifier 'gnb'"),
        ((*DEMO, "analyses"), {"efects": {}}, "unknown analysis 'efects'; did you mean 'effects'?"),
        ((*DEMO, "analyses"), {5: {}}, "found 5; use text"),
        ((*DEMO, "analyses"), {"cica": 5}, "analyses.cica: found 5; use a mapping or null"),
        ((*DEMO, "analyses"), {"cica": {"params": {"seed": 5}}}, "'seed'; did you mean 'seeds'?"),
        (
            (*DEMO, "analyses"),
            {"effects": {"params": {"tune": {"span": [0.3, 3]}}}},
            "span: found 3; use a number above 0 and at most 1",
        ),
        ((*DEMO, "paper"), {"xnbb": "xnb"}, "unknown key 'xnbb'; did you mean 'xnb'?"),
        ((*DEMO, "paper"), {"nb": "gnb"}, "paper.nb: unknown classifier 'gnb'"),
        (("studies", "classify_x"), {"title": "x"}, "'classify_x' is the name of a rule"),
        (("studies", "Demo"), {"title": "x"}, "studies: 'demo' and 'Demo' differ in small and"),
        (("run",), ["demmo"], "run: unknown study 'demmo'; did you mean 'demo'"),
        (("run",), [None], "run.0: found None; use text"),
        (("sheets",), [], "sheets: found 0 items; give at least 1"),
        (("colour",), 1, "known: run"),
        (("folds_per_job",), 0, "folds_per_job"),
        (("folds_per_job",), 5.0, "folds_per_job: found 5.0; use 'all' or a whole number"),
        (("classifiers_per_job",), "two", "classifiers_per_job"),
        (("folds", "x"), {}, "folds.x: 'splits' is a required property"),
        (("folds", "x"), {"splits": 3.0}, "splits: found 3.0; use a whole number of at least"),
        (("folds", "x"), {"file": "~nobody-here/x"}, "there is no such home"),
        (("folds", "x"), {"file": "http://[bad/x"}, "is no URL"),
        (("folds", "x"), {"file": "a" * 300}, "more than 255 bytes"),
        (("folds", "models"), {"splits": 2}, "folds: 'models' is a folder of results/"),
        (("folds", "Models"), {"splits": 2}, "'models' and 'Models' differ in small and capital"),
        (("download", "timeout"), math.nan, "timeout: found nan; use a number"),
        (("download", "least_rat"), 1, "did you mean 'least_rate'?"),
        (URLS, {"cumidda": ["x"]}, "base_urls: unknown source 'cumidda'; did you mean 'cumida'?"),
        (URLS, {"cumida": ["http://[bad"]}, "base_urls.cumida: 'http://[bad' is no URL"),
        (URLS, {"geo": ["http:///geo"]}, "base_urls.geo: 'http:///geo' is a URL without a host"),
        (("classifiers", "nb"), {"label": "x"}, "classifiers.nb"),
        (("classifiers", "NB"), RAW["classifiers"]["nb"], "classifiers: 'nb' and 'NB' differ in"),
        (STEPS, [], "preprocessing.wine"),
        (STEPS, [{"method": "log2"}], "preprocessing.wine.0: 'reason' is a required property"),
        (STEPS, [LOG | {"method": "log3"}], "wine.0.method: unknown method 'log3'; did you"),
        (
            STEPS,
            [LOG, LOG | {"params": {"ofset": 1}}],
            "unknown key 'ofset'; did you mean 'offset'",
        ),
        (STEPS, [LOG | XNB], "xnb is a classifier; give a transformer"),
        (("preprocessing", "wines"), [LOG], "preprocessing: unknown data set 'wines'; did you"),
    ],
)
def test_a_mistake_is_named(path, value, message):
    assert message in refused(changed(*path, value=value))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"method": "xnbb"}, "classifiers.mine.method: unknown method 'xnbb'; did you mean 'xnb'?"),
        ({**XNB, "params": {"treshold": 0.9}}, "unknown key 'treshold'; did you mean 'threshold'?"),
        ({**XNB, "params": {"threshold": 2}}, "threshold: found 2; use a number above 0 and below"),
        ({**XNB, "params": {"n_grid": True}}, "n_grid: found True; use a whole number"),
        ({**XNB, "params": {"kernel": "gausian"}}, "unknown 'gausian'; did you mean 'gaussian'?"),
        ({**XNB, "params": {"min_distance": "men"}}, "found 'men'; use mean or a number of at"),
        ({"method": "sklearn.svm.LinearSVX"}, "sklearn.svm has no LinearSVX; did you mean 'Lin"),
        ({"method": "sklearn.svmm.LinearSVC"}, "there is no module sklearn.svmm"),
        ({"method": "no_package.Model"}, "there is no module no_package"),
        ({"method": "subprocess.Popen", "params": {"args": "false"}}, "is no estimator"),
        ({"method": "fractions.Fraction"}, "no estimator, but of Python's"),
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
    checked(with_classifier({"method": "trap.Model"}))
    assert not marker.exists()


def test_the_rules_are_those_of_the_workflow():
    paths = [ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
    text = "".join(path.read_text() for path in paths)
    found = set(re.findall(r"^rule (\w+):$", text, re.MULTILINE))
    assert found | {"classify"} == RULES  # its rules have the names of schemes and classifiers
    for name in RULES:
        studies = RAW["studies"] | {name: {"title": "x"}}
        assert f"{name!r} is the name of a rule" in refused(RAW | {"studies": studies})


@pytest.mark.parametrize("key", [5, 1.5, True, None, "", "a" * 61, "a/b", ".x", "a\nb"])
@pytest.mark.parametrize("place", ["studies", "classifiers", "folds"])
def test_what_cannot_name_a_folder_is_no_id(place, key):
    entry = {"studies": {"title": "x"}, "classifiers": {"label": "x", "method": "xnb"}}
    entry["folds"] = {"splits": 2}
    assert place in refused(RAW | {place: RAW[place] | {key: entry[place]}})


ODD = [
    None, True, False, 0, -1, 5, 5.0, 1e308, math.inf, math.nan, "", "x", "a" * 300, "../../x",
    "\0", [], {}, [None], [[]], {"method": 5}, {"method": "xnb", "steps": []}, {5: 5},
    {None: None}, ["x", "x"], "~nobody-here/x", "http://[bad/x", "@linear", "@x", 10**400,
    b"\xff", {"steps": [{}]},
]  # fmt: skip


def message_of(call):
    """The message of an `InputError`; empty if there is none."""
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
    assert not message_of(lambda: checked(small))
    outcomes = []
    for _ in range(150):
        raw = small
        for _ in range(rng.randint(1, 3)):
            raw = mutated(raw, rng)
            if not raw:
                break
        outcomes.append(message_of(lambda: checked(raw)))  # noqa: B023
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
        outcomes.append(message_of(lambda: read_sheet(path)).replace(str(path), "sheet.tsv"))
    assert sum(map(bool, outcomes)) > 200
    assert max(map(len, outcomes)) <= MOST_CHARACTERS


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a\ttable\t~nobody-here/x.csv\tl\t", "there is no such home"),
        ("a\ttable\thttp://[bad/x.csv\tl\t", "is no URL"),
        ("a\ttable\thttps:///x.csv\tl\t", "without a host"),
        (f"a\ttable\t{'n' * 300}.csv\tl\t", "more than 255 bytes"),
        (f"{'a' * 61}\tbundled\twine\tl\t", "is not a name of a file"),
        *(
            (f"a\tuci\tmagic\tl\tfile={file}", "is not the path of a file below the base URLs")
            for file in ("ok/", "../x", "/etc/passwd")
        ),
    ],
)
def test_a_place_that_cannot_be_is_named_by_its_row(tmp_path, row, message):
    path = tmp_path / "sheet.tsv"
    path.write_text(f"id\tsource\tlocation\tlabel\toptions\n{row}\n")
    with pytest.raises(InputError, match=message):
        read_sheet(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_sheet(tmp_path)


def test_steps_of_a_data_set_are_not_put_before_a_classifier_that_counts_columns():
    study = {"title": "x", "datasets": ["wine"], "classifiers": ["vmnb"], "folds": ["10-fold"]}
    raw = changed("studies", "mine", value=study) | {"preprocessing": {"wine": [LOG]}}
    assert "which names columns (@angular)" in refused(raw)


def test_steps_of_a_data_set_stand_before_every_classifier_of_it_and_no_reason_changes_results():
    ranks = {"method": "sample_ranks", "reason": "of the study"}
    mine = {"label": "Mine", "steps": [LOG | {"reason": "of mine"}, {"method": "gaussian_nb"}]}
    raw = RAW | {
        "preprocessing": {"wine": [ranks]},
        "classifiers": RAW["classifiers"] | {"mine": mine},
    }
    config = checked(raw)
    assert config.methods("mine", "wine") == ["sample_ranks", "log2", "gaussian_nb"]
    assert config.methods("csnb", "wine") == ["sample_ranks", "csnb"]
    assert config.methods("csnb", "digits") == ["csnb"]
    assert config.classifier("csnb", "digits") == config.classifier("csnb")
    paths = [
        step["method"].rpartition(".")[2] for step in config.classifier("mine", "wine")["steps"]
    ]
    assert paths == ["SampleRanks", "Log2", "GaussianNB"]
    ranks["reason"] = mine["steps"][0]["reason"] = "another"
    again = checked(raw)
    assert again.classifier("mine", "wine") == config.classifier("mine", "wine")


def test_studies_that_keep_one_model_begin_with_the_same_folds():
    other = {**RAW["studies"]["demo"], "folds": ["10x10-fold"]}
    with pytest.raises(InputError, match=r"studies.other.final: the model of csnb on .* 10-fold"):
        checked(changed("studies", "other", value=other))
    config = checked(RAW)
    assert config.scheme_of_model("wine", "csnb") == "10-fold"
    with pytest.raises(InputError, match="no study asks for the model of nb on wine"):
        config.scheme_of_model("wine", "nb")


@pytest.mark.parametrize("reserved", ["studies", "logs", "benchmarks", "checksums"])
def test_a_data_set_cannot_take_the_name_of_a_folder_of_results(reserved):
    with pytest.raises(InputError, match=reserved):
        read_config(RAW, SCHEMA, [*DATASETS, reserved])


def test_a_data_set_of_a_default_sheet_gives_way_to_a_later_one(tmp_path):
    for name, location in {"ours": "wine", "theirs": "breast-cancer"}.items():
        row = f"id\tsource\tlocation\ntoy\tbundled\t{location}\n"
        (tmp_path / f"{name}.tsv").write_text(row)
    paths = {name: tmp_path / f"{name}.tsv" for name in ("ours", "theirs")}
    datasets, sheets = read_sheets(paths, defaults=["ours"])
    assert datasets["toy"].location == "breast-cancer"
    assert sheets == {"toy": "theirs"}
    with pytest.raises(InputError, match="defined in another sheet"):
        read_sheets(paths, defaults=["theirs"])


def test_methods_are_found_in_nested_entries():
    nested = {"method": "selective_nb", "params": {"estimator": {"method": "gaussian_nb"}}}
    scaler = "sklearn.preprocessing.StandardScaler"
    config = checked(with_classifier({"steps": [{"method": scaler}, nested]}))
    assert config.methods("mine") == [scaler, "selective_nb", "gaussian_nb"]


@pytest.mark.parametrize(
    ("per_job", "expected"), [(1, 15), (2, 10), (4, 5), (6, 3), (8, 3), (100, 1)]
)
def test_batches_cover_every_fold_once(per_job, expected):
    batches = Folds(splits=3, repeats=5).batches(per_job)
    assert len(batches) == expected
    folds = [(r, fold) for batch in batches for r in batch.repeats for fold in batch.folds]
    assert sorted(folds) == [(r, f) for r in range(5) for f in range(3)]
    assert [Batch.named(batch.name) for batch in batches] == batches
    assert Folds(splits=3, repeats=5).batches(None) == []


#: Two studies of which the second has one data set and two classifiers of the first.
SHARED = {
    "one": {"datasets": ["wine", "digits"], "classifiers": ["nb", "xnb", "fnb"], "final": ["xnb"]},
    "two": {"datasets": ["wine"], "classifiers": ["fnb", "nb", "csnb"]},
    "analysis": {"analyses": {"effects": {"datasets": ["spambase"], "folds": "5-fold"}}},
}


def shared(per_job="all"):
    trained = {"title": "x", "folds": ["10-fold"]}
    studies = {
        name: (trained if "classifiers" in entry else {"title": "x"}) | entry
        for name, entry in SHARED.items()
    }
    raw = RAW | {"studies": studies, "run": [], "classifiers_per_job": per_job}
    return checked(raw)


def test_a_job_trains_what_the_same_studies_ask_for():
    jobs = {(job.datasets, job.classifiers): job for job in shared().jobs()}
    assert list(jobs) == [
        (("wine",), ("nb", "fnb")),
        (("wine",), ("xnb",)),
        (("wine",), ("csnb",)),
        (("digits",), ("nb", "xnb", "fnb")),
        (("spambase",), ()),
    ]
    assert {job.classifiers: job.final for job in jobs.values() if job.final} == {
        ("xnb",): ("xnb",), ("nb", "xnb", "fnb"): ("xnb",)
    }  # fmt: skip


@pytest.mark.parametrize("per_job", ["all", 1, 2])
def test_every_classifier_is_trained_by_one_job_and_one_job_writes_the_folds(per_job):
    config = shared(per_job)
    trained, drawn = [], []
    for job in config.jobs():
        assert per_job == "all" or len(job.classifiers) <= per_job
        trained += [(d, job.folds, c) for d in job.datasets for c in job.classifiers]
        drawn += [(d, job.folds) for d in job.datasets if job.draws]
    expected = {each for study in config.studies.values() for each in study.trained}
    assert sorted(trained) == sorted(expected)
    assert sorted(drawn) == sorted({each[:2] for each in expected} | {("spambase", "5-fold")})


def test_batches_of_more_repeats_begin_with_the_same_ones():
    few, many = (Folds(splits=3, repeats=n).batches(6) for n in (4, 7))
    assert many[:2] == few
    assert [batch.name for batch in few] == ["repeats-0-1-folds-0-2", "repeats-2-3-folds-0-2"]
    assert many[-1].name == "repeat-6-folds-0-2"
