"""The configuration is checked before anything runs, and errors name the key and the mend."""

import copy
import re
from pathlib import Path

import pytest
import yaml

from xnbflow.data.dataset import KINDS
from xnbflow.data.errors import InputError
from xnbflow.evaluation.build import build_estimator, import_estimator
from xnbflow.evaluation.methods import METHODS
from xnbflow.workflow.config import Batch, Folds, read_config, read_sheets

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow/schemas/config.schema.json"
RAW = yaml.safe_load((ROOT / "config/config.yaml").read_text())
DATASETS = list(read_sheets({"own": ROOT / "config/datasets.tsv"})[0])


def changed(*path, value):
    raw = copy.deepcopy(RAW)
    place = raw
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return raw


def test_default_configuration_is_valid():
    config = read_config(RAW, SCHEMA, DATASETS)
    assert config.run == ("demo",)
    assert set(config.studies["demo"].classifiers) <= set(config.classifiers)


def test_every_default_classifier_can_be_built():
    config = read_config(RAW, SCHEMA, DATASETS)
    columns = {kind: [0] for kind in KINDS}
    for name in config.classifiers:
        assert hasattr(build_estimator(config.classifier(name), columns), "fit")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("studies", "demo", "clasifiers"), [], "did you mean 'classifiers'"),
        (
            ("studies", "demo", "classifiers"),
            ["xbn"],
            "unknown classifier 'xbn'; did you mean 'xnb'",
        ),
        (
            ("studies", "demo", "datasets"),
            ["wines"],
            "unknown data set 'wines'; did you mean 'wine'",
        ),
        (("studies", "demo", "folds"), ["9-fold"], "unknown scheme of folds '9-fold'"),
        (("studies", "demo", "folds"), [], "belong together"),
        (("run",), ["demmo"], "run: unknown study 'demmo'; did you mean 'demo'"),
        (("folds", "x"), {}, "folds.x: 'splits' is a required property"),
        (("folds", "../x"), {"splits": 2}, "use a name of a folder"),
        (("folds_per_job",), 0, "folds_per_job"),
        (("classifiers_per_job",), "two", "classifiers_per_job"),
        (("studies", "classify_x"), {"title": "x"}, "'classify_x' is the name of a rule"),
        (("colour",), 1, "known: run"),
        (("classifiers", "nb"), {"label": "x"}, "classifiers.nb"),
        (("folds", "models"), {"splits": 2}, "folds: 'models' is a folder of results/"),
        (("folds", "Models"), {"splits": 2}, "'models' and 'Models' differ in small and capital"),
        (("studies", "Demo"), {"title": "x"}, "studies: 'demo' and 'Demo' differ in small and"),
        (("classifiers", "NB"), RAW["classifiers"]["nb"], "classifiers: 'nb' and 'NB' differ in"),
        (("studies", "demo", "permutations"), {"gnb": 2}, "permutations: unknown classifier 'gnb'"),
        (("studies", "demo", "final"), ["gnb"], "final: unknown classifier 'gnb'"),
        (("studies", "demo", "paper"), {"nb": "gnb"}, "paper.nb: unknown classifier 'gnb'"),
        (
            ("studies", "demo", "validate"),
            [{"model": "csnb", "train": "wine", "test": "wine"}],
            "validate[0]: 'wine' is no second cohort of itself",
        ),
        (
            ("studies", "demo", "validate"),
            [{"model": "csnb", "train": "wine", "test": "digits"}] * 2,
            "validate[0]: stands there twice",
        ),
        (
            ("studies", "demo", "validate"),
            [{"model": "gnb", "train": "wine", "test": "digits"}],
            "validate[0].model: unknown classifier 'gnb'",
        ),
    ],
)
def test_a_mistake_is_named(path, value, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_config(changed(*path, value=value), SCHEMA, DATASETS)


def test_studies_that_keep_one_model_begin_with_the_same_folds():
    other = {**RAW["studies"]["demo"], "folds": ["10x10-fold"]}
    with pytest.raises(InputError, match=r"studies.other.final: the model of csnb on .* 10-fold"):
        read_config(changed("studies", "other", value=other), SCHEMA, DATASETS)
    config = read_config(RAW, SCHEMA, DATASETS)
    assert config.scheme_of_model("wine", "csnb") == "10-fold"
    with pytest.raises(InputError, match="no study asks for the model of nb on wine"):
        config.scheme_of_model("wine", "nb")


def test_missing_key_is_named():
    raw = {key: value for key, value in RAW.items() if key != "folds"}
    with pytest.raises(InputError, match="'folds' is a required property"):
        read_config(raw, SCHEMA, DATASETS)


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


def test_two_sheets_cannot_define_the_same_data_set(tmp_path):
    sheet = ROOT / "config/datasets.tsv"
    other = tmp_path / "mine.tsv"
    other.write_text("\n".join(sheet.read_text().splitlines()[:2]) + "\n")
    with pytest.raises(InputError, match="defined in another sheet"):
        read_sheets({"one": sheet, "other": other})


def test_methods_are_found_in_nested_entries():
    entry = {
        "label": "nested",
        "steps": [
            {"method": "sklearn.preprocessing.StandardScaler"},
            {"method": "selective_nb", "params": {"estimator": {"method": "gaussian_nb"}}},
        ],
    }
    config = read_config(changed("classifiers", "nested", value=entry), SCHEMA, DATASETS)
    assert config.methods("nested") == [
        "sklearn.preprocessing.StandardScaler",
        "selective_nb",
        "gaussian_nb",
    ]


@pytest.mark.parametrize(
    ("per_job", "expected"), [(1, 15), (2, 10), (4, 5), (6, 3), (8, 3), (100, 1)]
)
def test_batches_cover_every_fold_once(per_job, expected):
    batches = Folds(splits=3, repeats=5).batches(per_job)
    assert len(batches) == expected
    folds = [(r, fold) for batch in batches for r in batch.repeats for fold in batch.folds]
    assert sorted(folds) == [(r, f) for r in range(5) for f in range(3)]
    assert [Batch.named(batch.name) for batch in batches] == batches


def test_without_folds_per_job_there_are_no_batches():
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
    return read_config(raw, SCHEMA, DATASETS)


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


def test_short_names_lead_to_classes():
    for method in METHODS.values():
        assert hasattr(import_estimator(method.estimator), "get_params")
