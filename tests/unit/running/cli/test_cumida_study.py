"""A study of series of CuMiDa by their names: its files, its classifiers, its download."""

import numpy as np
import pytest
import yaml
from serving import serving
from toys import dataset
from typer.testing import CliRunner

from xnbflow.core.errors import InputError
from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.method_checks import check_estimator
from xnbflow.running.cli.app import app
from xnbflow.running.cli.cumida_study import _cumida_name, _write_cumida_study
from xnbflow.running.project import default_configuration
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import read_entry

SERIES = ["Brain_GSE50161", "Liver_GSE14520_U133A"]
CSV = b"samples,type,g1,g2\n" + b"".join(
    f"{i},{'ab'[i % 2]},{i}.5,{2 * i}\n".encode() for i in range(6)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_study(folder, name):
    settings = yaml.safe_load((folder / f"{name}.yaml").read_text())
    return settings, {key: read_entry(key, entry) for key, entry in settings["datasets"].items()}


def test_several_series_are_one_study(folder):
    command = _write_cumida_study(SERIES, "mine")
    settings, rows = read_study(folder, "mine")
    assert command == "xnbflow run mine --configfile mine.yaml"
    assert [row.location for row in rows.values()] == ["Brain/GSE50161", "Liver/GSE14520_U133A"]
    assert {row.source for row in rows.values()} == {"cumida"}
    study = settings["studies"]["mine"]
    assert study["datasets"] == SERIES == list(rows)
    assert study["folds"] == ["10-fold"]
    assert study["headline"] == "csnb-cv"
    assert study["classifiers"] == ["csnb-cv", "xnb", "nb", "forest"]
    assert set(study["classifiers"]) <= set(default_configuration()["classifiers"])
    assert "download" not in settings


def test_the_benchmark_has_the_seven_classifiers_of_cumida_and_three_folds(folder):
    _write_cumida_study(SERIES[:1], "mine", benchmark=True)
    settings, _ = read_study(folder, "mine")
    study = settings["studies"]["mine"]
    classifiers = default_configuration()["classifiers"] | settings["classifiers"]
    methods = set()
    for name in study["classifiers"]:
        entry = classifiers[name]
        methods.add(entry.get("steps", [entry])[-1]["method"].rpartition(".")[-1])
    assert methods >= {
        "SVC",
        "MLPClassifier",
        "DecisionTreeClassifier",
        "gaussian_nb",
        "RandomForestClassifier",
        "KNeighborsClassifier",
        "DummyClassifier",  # the majority class
    }
    assert methods >= {"csnb_cv", "xnb"}
    assert study["folds"] == ["3-fold"]
    assert settings["folds"] == {"3-fold": {"splits": 3, "repeats": 1}}
    assert "&" not in (folder / "mine.yaml").read_text().partition("\n\n")[2]


def test_the_classifiers_of_the_benchmark_can_be_fitted(folder):
    _write_cumida_study(SERIES[:1], "mine", benchmark=True)
    settings, _ = read_study(folder, "mine")
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], 15)
    data = dataset(rng.normal(size=(8, 30)) + 4.0 * (labels == "b"), labels)
    for name, entry in settings["classifiers"].items():
        check_estimator(entry, f"classifiers.{name}", "classifier")
        model = build_estimator(entry, {}, 0).fit(data.values.T, labels)
        assert model.score(data.values.T, labels) == (0.5 if name == "cumida-majority" else 1.0)


def test_the_series_are_downloaded_from_a_mirror(folder):
    with serving("cumida", {"Brain/GSE50161/Brain_GSE50161.csv": [CSV]}) as server:
        _write_cumida_study(SERIES[:1], "mine", mirrors=[server.url])
        settings, rows = read_study(folder, "mine")
        series = acquire(
            rows[SERIES[0]], downloads=folder, base_urls=settings["download"]["base_urls"]
        )
        assert server.requests == ["/cumida/Brain/GSE50161/Brain_GSE50161.csv"]
    assert series.labels.tolist() == list("ababab")
    assert series.values[0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]


def test_arff_files_are_a_key_of_the_data_sets(folder):
    _write_cumida_study(SERIES, "mine", arff=True)
    assert [row.options for row in read_study(folder, "mine")[1].values()] == [
        {"format": "arff"}
    ] * 2


@pytest.mark.parametrize("name", ["GSE50161", "Brain-GSE50161", "Brain_50161", "Brain_GSE1/x", ""])
def test_a_name_of_another_form_is_refused(name):
    with pytest.raises(InputError, match="is not a series of CuMiDa, as Brain_GSE50161 is"):
        _cumida_name(name)


def test_files_and_names_are_kept_apart(folder):
    _write_cumida_study(SERIES[:1], "mine")
    with pytest.raises(InputError, match=r"mine\.yaml exists; overwrite it by --force"):
        _write_cumida_study(SERIES, "mine")
    _write_cumida_study(SERIES, "mine", force=True)
    assert list(read_study(folder, "mine")[1]) == SERIES
    with pytest.raises(InputError, match="is named twice"):
        _write_cumida_study(SERIES[:1] * 2, "other")
    with pytest.raises(InputError, match="'demo' is a study"):
        _write_cumida_study(SERIES, "demo")


def test_the_command_names_the_study_of_one_series_by_it(folder):
    done = CliRunner().invoke(app, ["cumida", "Brain_GSE50161", "--benchmark"])
    assert done.exit_code == 0, done.output
    assert "run: xnbflow run Brain_GSE50161 --configfile Brain_GSE50161.yaml" in done.output
    assert list(read_study(folder, "Brain_GSE50161")[1]) == ["Brain_GSE50161"]
    several = CliRunner().invoke(app, ["cumida", *SERIES])
    assert several.exit_code == 1
    assert "by --output" in str(several.exception)
