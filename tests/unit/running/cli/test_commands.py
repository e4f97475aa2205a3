"""Commands on tables as laboratories have them: fit, predict, explain, run."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from lab_files import LAYOUTS, SAMPLES, counts, logarithms, write_samples
from proposed import summary_of_labels
from toys import entry_in

from xnbflow.core.errors import InputError
from xnbflow.running.cli import app, commands, proposals
from xnbflow.running.cli.configuration import find_configuration
from xnbflow.sources.acquire import acquire

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def fitted(folder, layout="cumida", label="type", **settings):
    path = LAYOUTS[layout](folder)
    if (folder / "samples.csv").exists():
        settings["phenotype"] = str(folder / "samples.csv")
    model = folder / "model.skops"
    app.fit(str(path), label=label, output=model, method="csnb", folds=0, **settings)
    return path, model


def test_fit_finds_the_column_of_names_of_cumida(tmp_path, capsys):
    path, model = fitted(tmp_path)
    capsys.readouterr()
    app.predict(model, str(path))
    done = capsys.readouterr()
    rows = done.out.splitlines()
    assert rows[1].startswith("GSM372721\ttumour")
    assert "accuracy 1.000 (24 of 24), balanced accuracy 1.000" in done.err
    assert "The model was fitted to this table" in done.err


def test_predictions_as_json_have_the_confusion_table(tmp_path, capsys):
    path, model = fitted(tmp_path)
    frame = pd.read_csv(path)
    frame.loc[0, "type"] = "normal"
    frame.to_csv(tmp_path / "new.csv", index=False)
    capsys.readouterr()
    app.predict(model, str(tmp_path / "new.csv"), as_json=True)
    actual = json.loads(capsys.readouterr().out)["agreement"]
    assert (actual["right"], actual["samples"]) == (23, 24)
    assert actual["confusion"]["normal"] == {"normal": 12, "tumour": 1}


def test_a_table_without_labels_has_no_accuracy(tmp_path, capsys):
    path, model = fitted(tmp_path)
    pd.read_csv(path).drop(columns="type").to_csv(tmp_path / "new.csv", index=False)
    capsys.readouterr()
    app.predict(model, str(tmp_path / "new.csv"))
    assert "accuracy" not in capsys.readouterr().err


def test_columns_of_feature_counts_are_no_samples_and_counts_are_transformed(tmp_path, capsys):
    path, model = fitted(tmp_path, "feature_counts", "condition", settings=["transform=log_cpm"])
    capsys.readouterr()
    app.predict(model, str(path))
    done = capsys.readouterr()
    names = [line.split("\t")[0] for line in done.out.splitlines()[1:]]
    assert names == SAMPLES
    assert "transform: log_cpm was applied to the values" in done.err
    labels = [line.split("\t")[1] for line in done.out.splitlines()[1:]]
    assert labels == ["tumour"] * 12 + ["normal"] * 12


def test_values_that_are_transformed_already_stay_as_they_are(tmp_path, capsys):
    _, model = fitted(tmp_path, "feature_counts", "condition", settings=["transform=log_cpm"])
    read = commands.read_model(model)
    logs = np.log1p(1e6 * counts() / counts().sum(axis=1, keepdims=True))
    pd.DataFrame(logs, index=SAMPLES, columns=read.features).to_csv(tmp_path / "logs.csv")
    capsys.readouterr()
    app.predict(model, str(tmp_path / "logs.csv"))
    done = capsys.readouterr()
    assert "was applied" not in done.err
    labels = [line.split("\t")[1] for line in done.out.splitlines()[1:]]
    assert labels == ["tumour"] * 12 + ["normal"] * 12


@pytest.mark.parametrize("kind", ["counts", "intensities"])
def test_raw_values_are_refused_by_a_model_of_logarithms(tmp_path, kind):
    _, model = fitted(tmp_path)
    values = counts() if kind == "counts" else 2 ** logarithms()
    frame = pd.DataFrame(values, columns=[f"{i}_at" for i in range(600)])
    frame.to_csv(tmp_path / "raw.csv", index=False)
    with pytest.raises(InputError, match="but the model was fitted to logarithms") as error:
        app.predict(model, str(tmp_path / "raw.csv"))
    assert "has values that are not logged" in str(error.value)  # probes have no reads


def test_the_least_certain_samples_are_explained(tmp_path, capsys):
    path, model = fitted(tmp_path)
    read = commands.read_model(model)
    samples = commands.read_samples_of(read, str(path), {})
    names = commands.least_certain(read, samples.frame, "auto")
    table = commands.predict_table(read, samples.frame).table.set_index("sample")
    certainty = table.filter(like="probability.").max(axis=1)
    assert names == certainty.sort_values(kind="stable").index[:3].tolist()
    capsys.readouterr()
    app.explain(model, str(path))
    text = capsys.readouterr().out
    assert [text.index(f"sample {name}") for name in names] == sorted(
        text.index(f"sample {name}") for name in names
    )


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        pytest.param((20, 20), "", id="20"),
        pytest.param((20, 5), "", id="5"),
        pytest.param((20, 4), "class 'b' has 4 samples, so that 4 folds are proposed", id="4"),
        pytest.param((20, 3), "class 'b' has 3 samples, so that 3 folds are proposed", id="3"),
        pytest.param((20, 2), "class 'b' has 2 samples: of 5 folds 3 test none of it", id="2"),
        pytest.param((20, 1), "class 'b' has 1 sample: of 5 folds 4 test none of it", id="1"),
    ],
)
def test_the_smallest_class_decides_the_number_of_folds(sizes, expected):
    labels = [label for label, n in zip("ab", sizes, strict=True) for _ in range(n)]
    assert proposals.fold_remark(summary_of_labels(labels), "x") == expected


#: The beginning of a file that `xnbflow study` writes.
PROPOSED = "# A study, laid over the configuration of the project.\nrun: [colon]\n"


def test_run_takes_the_configuration_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colon.yaml").write_text("run: [colon]\n")
    (tmp_path / "demo.yaml").write_text("run: [demo]\n")
    assert find_configuration("colon", ["-n"]) == ["--configfile", "colon.yaml"]
    assert find_configuration("colon", ["--configfile", "x.yaml"]) == []
    assert find_configuration("colon", ["--configfile=x.yaml"]) == []
    assert find_configuration("rectum", ["--config", "run=[rectum]"]) == []
    assert find_configuration("results/index.html", []) == []
    assert find_configuration("demo", []) == []  # a study of the project


def test_a_study_that_does_not_exist_is_refused_with_similar_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colon.yaml").write_text(PROPOSED)
    with pytest.raises(InputError, match=r"no study 'colin', nor colin\.yaml here; .* 'colon'\?$"):
        find_configuration("colin", [])
    with pytest.raises(InputError, match=r"no study 'xyz', .*known: colon, \w"):
        find_configuration("xyz", ["-n"])


def test_a_file_in_place_of_a_study_is_refused_with_the_study_s_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colon.yaml").write_text("run: [colon]\n")
    assert find_configuration("colon.yaml", []) == []  # a target that Snakemake may know
    (tmp_path / "colon.yaml").write_text(PROPOSED)
    with pytest.raises(InputError, match=r"colon\.yaml is a file; name .* colon$"):
        find_configuration("colon.yaml", [])


def test_run_calls_snakemake_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colon.yaml").write_text("run: [colon]\n")
    called = []
    monkeypatch.setattr(os, "execve", lambda program, arguments, _: called.append(arguments))
    context = type("Context", (), {"args": ["-n"]})()
    app.run_study(context, "colon")
    (arguments,) = called
    assert arguments[arguments.index("--configfile") + 1] == "colon.yaml"


def test_a_larger_limit_of_downloads_is_in_the_configuration(tmp_path):
    path = LAYOUTS["cumida"](tmp_path)
    app.propose(str(path), output=str(tmp_path / "mine"), most_gigabytes=80.0)
    assert "most_gigabytes: 80.0" in (tmp_path / "mine.yaml").read_text()
    app.propose(str(path), output=str(tmp_path / "other"))
    assert "download" not in (tmp_path / "other.yaml").read_text()


def test_a_sheet_beside_the_table_gives_the_labels_of_a_model(tmp_path):
    path = LAYOUTS["ensembl_versions"](tmp_path)
    write_samples(tmp_path)
    model = tmp_path / "model.skops"
    app.fit(
        str(path),
        label="condition",
        phenotype=str(tmp_path / "samples.csv"),
        output=model,
        method="csnb",
        folds=0,
        settings=["transform=log_cpm"],
    )
    read = commands.read_model(model)
    entry = read.series["entry"]
    assert (entry["samples"], entry["transform"]) == ("columns", "log_cpm")
    assert not any("." in name for name in read.features)


def test_symbols_are_those_of_a_table_beside_it(tmp_path):
    path = LAYOUTS["ensembl_versions"](tmp_path)
    names = [f"ENSG{i:011}" for i in range(141510, 141510 + 600)]
    table = pd.DataFrame({"gene_id": names, "gene_name": [f"GENE{i}" for i in range(600)]})
    table.to_csv(tmp_path / "symbols.tsv", sep="\t", index=False)
    app.propose(
        str(path),
        phenotype=str(tmp_path / "samples.csv"),
        annotation=str(tmp_path / "symbols.tsv"),
        output=str(tmp_path / "mine"),
    )
    series = acquire(entry_in(tmp_path / "mine.yaml"))
    assert series.feature_metadata["symbol"].tolist() == table["gene_name"].tolist()


def test_missing_clinical_values_do_not_stop_a_study_that_does_not_use_them(tmp_path):
    path = LAYOUTS["survival"](tmp_path)
    ages = ["unknown", "", "NA", *map(str, range(30, 51))]
    write_samples(tmp_path, age=ages, sex=["", *["m", "f"] * 11, "NA"])
    app.propose(str(path), phenotype=str(tmp_path / "samples.csv"), output=str(tmp_path / "mine"))
    series = acquire(entry_in(tmp_path / "mine.yaml"))
    assert series.n_samples == 24
    assert series.sample_metadata["age"].tolist() == ages
