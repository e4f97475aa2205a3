"""Proposals of `xnbflow study`: each is planned, acquired and has folds; what they contain."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml
from proposed import NAMES, N, genes, over, summary_of_labels, table, write
from toys import entry_in, put, set_fields

from xnbflow.core.errors import InputError
from xnbflow.core.study import Design
from xnbflow.diagnostics.adjustment import design_notes
from xnbflow.diagnostics.genes import gene_table
from xnbflow.evaluation.folds import draw_folds
from xnbflow.models.new_samples import read_samples
from xnbflow.running.cli import commands, proposals
from xnbflow.running.cli.app import propose
from xnbflow.running.config import read_config
from xnbflow.running.project import ROOT, default_configuration, overlay
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.class_labels import LabelRule

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def proposed(name, folder):
    """Return the entry that is proposed for a table, as read from its file, and its folds."""
    path, user_input = write(name, folder)
    propose(str(path), output=str(folder / "mine"), **user_input)
    written = yaml.safe_load((folder / "mine.yaml").read_text())
    settings = overlay(default_configuration(), written)
    config = read_config(settings, ROOT / "workflow/schemas/config.schema.json")
    (scheme,) = config.studies["mine"].folds
    return entry_in(folder / "mine.yaml"), config.folds[scheme].splits


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_proposal_is_planned_acquired_and_divided(tmp_path, name):
    row, splits = proposed(name, tmp_path)
    series = acquire(row, downloads=tmp_path)
    assert series.features.tolist() == [f"g{i}" for i in range(30)]
    assert draw_folds(series, splits, 1)["fold"].nunique() == splits
    if name != "intensities and ages":  # whose logarithms are taken
        written = genes(n={"classes of four": 8, "classes of three": 6}.get(name, N))
        first = 2 if name == "a class of two" else 0  # which the proposed map leaves out
        np.testing.assert_array_equal(series.values.T, written[first : first + series.n_samples])


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("two plates", {"batch": "plate"}),
        ("two scan dates", {"batch": "ScanDate"}),
        ("a date for each sample", {"phenotype_columns": ("run_date",)}),
        ("patients twice", {"group": "patient"}),
        ("three patients", {"phenotype_columns": ("patient",)}),
        ("patients of one class but two", {"phenotype_columns": ("donor",)}),
        ("patients, some unknown", {"phenotype_columns": ("patient",)}),
        ("clinical numbers", {"phenotype_columns": ("Alter", "PSA")}),
        ("clinical numbers of other names", {"phenotype_columns": ("kreatinin_um", "dauer")}),
        ("names with commas", {"phenotype_columns": ("Age, years", "site; a=b")}),
        ("unknown classes", {"unlabelled": "drop"}),
        ("samples in columns", {"batch": "plate", "phenotype_columns": ("age", "treatment")}),
        ("a series matrix", {"group": "patient", "batch": "scan date", "literal": ("none",)}),
    ],
)
def test_columns_are_proposed_for_what_they_are(tmp_path, capsys, name, fields):
    row, splits = proposed(name, tmp_path)
    assert set_fields(row) == fields
    assert splits == (3 if name == "a series matrix" else 5)
    output = capsys.readouterr().out
    names = ("age", "Age", "dauer", "Alter")
    has_numbers = any(name in str(fields) for name in names)
    assert ("outside the block of features" in output) == has_numbers
    assert ("'patient' has 3 values for 24 samples and is not proposed" in output) == (
        "three" in name
    )


def test_folds_are_as_many_as_the_classes_allow_or_no_study_is_written(tmp_path):
    for name, expected in (("four patients of each class", 4), ("classes of three", 3)):
        assert proposed(name, tmp_path / name)[1] == expected
    path = str(write("two plates", tmp_path)[0])
    with pytest.raises(InputError, match=r"class 'ill' has 2 of the groups, and no .* No file"):
        propose(path, label="diagnosis", settings=["group=plate"], output=str(tmp_path / "no"))
    assert not (tmp_path / "no.yaml").exists()


def test_earlier_files_are_overwritten_by_force_alone(tmp_path):
    path, output = write("two plates", tmp_path)[0], str(tmp_path / "mine")
    propose(str(path), output=output)
    with pytest.raises(InputError, match=r"mine\.yaml exists; overwrite it by --force"):
        propose(str(path), output=output)
    table(patient=over("a", "b")).to_csv(path, index=False)
    propose(str(path), output=output, force=True)
    assert "patient" in (tmp_path / "mine.yaml").read_text()


RNG = np.random.default_rng(0)
LOGGED = np.clip(RNG.normal(7, 2.2, (N, 600)), 2.5, 15.5)


@pytest.mark.parametrize(
    ("values", "column", "option", "reason"),
    [
        (LOGGED, "Alter", {"scale": "log2"}, "Alter is a number outside the block of features"),
        (LOGGED, "dauer", {"scale": "log2"}, "dauer is a number outside the block of features"),
        (LOGGED * np.log(2), "Alter", {}, "The base of the logarithms is not clear"),
        (np.log2(LOGGED), "Alter", {}, "look like logarithms of logarithms"),
        (2**LOGGED, "Alter", {"transform": "log2"}, "The proposal is transform: log2"),
    ],
)
def test_the_scale_is_that_of_most_features(tmp_path, capsys, values, column, option, reason):
    frame = pd.DataFrame(values, columns=[f"p{i}" for i in range(600)])
    frame.insert(0, "type", over("a", "b"))
    frame.insert(1, column, RNG.integers(18, 80, N))
    frame.to_csv(tmp_path / "x.csv", index=False)
    propose(str(tmp_path / "x.csv"), output=str(tmp_path / "mine"))
    row = entry_in(tmp_path / "mine.yaml")
    assert set_fields(row) == {"phenotype_columns": (column,)} | option
    assert reason in capsys.readouterr().out
    series = acquire(row)
    assert series.scale == ("log2" if option else "")
    assert gene_table(series)["log_fold_change"].notna().all() == bool(option)


def test_declared_logarithms_are_not_taken_again(tmp_path):
    path, _ = write("two plates", tmp_path)
    keys = {"label": "diagnosis", "scale": "ln", "transform": "log2", "drop": ["plate"]}
    with pytest.raises(InputError, match="scale: ln declares logarithms, and transform: log2"):
        acquire(commands.described_entry(str(path), keys))


@pytest.mark.parametrize(
    ("column", "ways"),
    [
        ([f"{i % 51}" for i in range(60)], r"cut points, as .* survival analysis"),
        (RNG.normal(size=60).round(3), "51|60 distinct labels of 60 .* not classes"),
        ([f"n{i // 2}" for i in range(60)], "30 distinct labels of 60 .* by map"),
    ],
)
def test_labels_that_are_not_classes_are_refused(tmp_path, column, ways):
    table(n=60, trait=column).to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(InputError, match=ways):
        propose(str(tmp_path / "x.csv"), label="trait")


def test_cut_points_make_classes(tmp_path):
    ages = [str(age) for age in (30, 49.9, 50, 71, 65, 12)]
    rule = LabelRule.parse(
        DatasetEntry("x", "table", map={"<50": "young", "<=65": "old", ">65": "oldest"})
    )
    labels, keep, _ = rule.apply("x", ages, ages)
    assert labels.tolist() == ["young", "young", "old", "oldest", "old", "young"]
    assert keep.all()
    with pytest.raises(InputError, match="map has '>65', but no sample has that"):
        rule.apply("x", ages[:3], ages[:3])


def test_how_a_file_was_read_is_noted(tmp_path):
    for name, note in (
        ("UTF-16", "the table is UTF-16 text"),
        ("Windows", "line 2 is not UTF-8 and was read as cp1252.* names with 'ö'"),
    ):
        row, _ = proposed(name, tmp_path / name)
        series = acquire(row)
        assert any(re.search(note, text) for text in series.notes)
        assert "Köln" in set(series.sample_metadata["Klinik"])


def test_control_probes_are_left_out_unless_they_are_kept(tmp_path):
    controls = {"ZNF0": "AFFX-BioB-5_at", "ZNF1": "(+)E1A_r60_1", "ZNF3": "ERCC-00002"}
    frame = table().rename(columns=lambda name: re.sub(r"^g(?=\d)", "ZNF", name))
    frame = frame.rename(columns=controls | {"ZNF2": "ERCC1"})
    frame.to_csv(tmp_path / "x.csv", index=False)
    row = commands.described_entry(str(tmp_path / "x.csv"), {"label": "diagnosis"})
    series = acquire(row)
    assert series.features.tolist() == ["ERCC1", *(f"ZNF{i}" for i in range(4, 30))]
    assert "3 control probes were left out" in series.notes[0]
    assert "controls: keep" in series.notes[0]
    with_controls = acquire(replace(row, controls="keep"))
    assert with_controls.features.tolist() == frame.columns[1:].tolist()
    assert read_samples(row, row).frame.shape == (N, 30)  # as the model needs them


@pytest.mark.parametrize(("n_samples", "repeats"), [(20, 3), (1000, 3), (1001, 1)])
def test_folds_are_drawn_three_times_unless_there_are_many_samples(n_samples, repeats):
    assert proposals._repeats_of_folds(n_samples) == repeats


def test_a_proposal_names_its_repeated_folds(tmp_path):
    path, user_input = write("two plates", tmp_path)
    propose(str(path), output=str(tmp_path / "mine"), **user_input)
    settings = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    assert settings["studies"]["mine"]["folds"] == ["3x5-fold"]
    assert settings["folds"] == {"3x5-fold": {"splits": 5, "repeats": 3}}


def test_a_proposal_has_the_recommended_classifier_as_headline_and_model(tmp_path):
    """Beside it are naive Bayes and shrunken centroids, see docs/methods/shrunken-centroids.md."""
    propose(str(write("two plates", tmp_path)[0]), output=str(tmp_path / "mine"))
    study = yaml.safe_load((tmp_path / "mine.yaml").read_text())["studies"]["mine"]
    assert study["classifiers"] == ["csnb-cv", "nb", "shrunken"]
    assert (study["headline"], study["final"]) == ("csnb-cv", ["csnb-cv"])


def labels_of(sizes):
    """Return the labels of classes a, b, ... of these sizes."""
    return np.repeat(list("abc")[: len(sizes)], sizes)


@pytest.mark.parametrize(
    ("sizes", "splits"),
    [
        ((25, 25), 10),  # 50 samples
        ((25, 24), 5),  # 49 samples
        ((60, 9), 9),  # each fold tests the smaller class
        ((60, 3), 3),
        ((60, 2), 10),  # no number of folds tests two samples in each
    ],
)
def test_folds_are_ten_five_with_few_samples_or_those_of_the_smallest_class(sizes, splits):
    assert proposals._number_of_folds(summary_of_labels(labels_of(sizes)), "x") == splits


def test_groups_need_three_folds():
    """With two groups of a class in training, an inner fold trains with one."""
    groups = np.array([*np.repeat(["p1", "p2", "p3"], 10), *np.repeat(["q1", "q2", "q3"], 10)])
    assert proposals._number_of_folds(summary_of_labels(labels_of((30, 30)), groups), "x") == 3
    groups = np.array([*np.repeat(["p1", "p2"], 15), *np.repeat(["q1", "q2"], 15)])
    with pytest.raises(InputError, match="class 'a' has 2 of the groups, and no folds"):
        proposals._number_of_folds(summary_of_labels(labels_of((30, 30)), groups), "x")


@pytest.mark.parametrize("name", ["a" * 61, ".x", "a b", "compare", "demo", "wine", "ü"])
def test_a_name_that_is_taken_or_no_folder_is_refused(name):
    with pytest.raises(InputError, match=r"choose another name|cannot name a study"):
        proposals.check_study_name(name)
    proposals.check_study_name("a" * 60)


def test_an_existing_configuration_alone_is_kept(tmp_path):
    (tmp_path / "mine.yaml").write_text("run: []")
    with pytest.raises(InputError, match=r"mine\.yaml exists and is no .*overwrite it by --force"):
        proposals.refuse_to_replace_study(str(tmp_path / "mine"), force=False)


def test_mirrors_replace_ncbi_in_the_configuration(tmp_path):
    path = str(write("two plates", tmp_path)[0])
    propose(path, output=str(tmp_path / "mine"), mirror=["https://mirror.example"])
    settings = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    assert settings["download"] == {"base_urls": {"geo": ["https://mirror.example"]}}


def test_a_person_waits_for_one_retry(monkeypatch):
    policies = []
    monkeypatch.setattr(
        proposals, "summarise_table", lambda row, retry, places: policies.append(retry)
    )
    proposals._summary_of(DatasetEntry("x", "table", "x.csv"), most_gigabytes=3.0)
    assert (policies[0].retries, policies[0].most_gigabytes) == (1, 3.0)


@pytest.mark.parametrize("name", ["mine.yaml", "mine.yml", "mine.tsv"])
def test_a_study_is_named_without_the_ending_of_its_files(name):
    with pytest.raises(InputError, match="name the study 'mine'"):
        proposals.check_study_name(name)
    proposals.check_study_name("mine.v2")


def test_a_name_is_refused_before_the_table_is_read():
    with pytest.raises(InputError, match="'a b' cannot name a study"):
        propose("no-such-file.csv", output="folder/a b")


@pytest.fixture
def tissue(tmp_path):
    """A table of 24 samples with an age and a plate, which look like features by their numbers."""
    path = tmp_path / "tissue.csv"
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(8, 1, (24, 30)), columns=[f"g{i}" for i in range(30)])
    frame.insert(0, "tissue", ["normal", "tumour"] * 12)
    frame["score"] = rng.normal(8, 1, 24)
    frame["plate"] = np.repeat(["1", "2", "3"], 8)
    frame.to_csv(path, index_label="sample")
    return path


OF_DESIGN = [
    "adjust=[score, factor(plate)]",
    "repeated=correlation",
    "trend=yes",
    "contrasts=[tumour vs normal]",
]


def test_keys_of_a_design_are_written_into_the_study_and_its_columns_into_the_data_set(
    tmp_path, tissue, capsys
):
    output = str(tmp_path / "mine")
    settings = [*OF_DESIGN, "scale=log2", "reference=normal"]
    propose(str(tissue), label="tissue", settings=settings, output=output)
    study = yaml.safe_load((tmp_path / "mine.yaml").read_text())["studies"]["mine"]
    assert study["design"] == {
        "adjust": ["score", "factor(plate)"],
        "trend": True,
        "contrasts": ["tumour vs normal"],
        "repeated": "correlation",
    }
    row = entry_in(tmp_path / "mine.yaml")
    assert set(row.phenotype_columns) == {"score", "plate"}
    assert (row.scale, row.reference) == ("log2", "normal")
    series = acquire(row, downloads=tmp_path)
    assert "score" not in series.features
    assert design_notes(series, Design.read(study["design"]))
    assert "reference: normal" in capsys.readouterr().out


def test_a_study_without_keys_of_a_design_has_none(tmp_path, tissue):
    propose(str(tissue), label="tissue", output=str(tmp_path / "mine"))
    study = yaml.safe_load((tmp_path / "mine.yaml").read_text())["studies"]["mine"]
    assert "design" not in study


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("reference=norml", "'norml', .*; did you mean 'normal'"),
        ("repeated=median", "repeated: unknown 'median'; did you mean 'mean'"),
        ("trend=maybe", "trend: found 'maybe'; use true or false"),
    ],
)
def test_a_design_that_cannot_be_is_refused_before_files_are_written(
    tmp_path, tissue, setting, message
):
    with pytest.raises(InputError, match=message):
        propose(str(tissue), label="tissue", settings=[setting], output=str(tmp_path / "mine"))
    assert not (tmp_path / "mine.yaml").exists()


def test_commands_without_a_study_have_no_design(tissue):
    with pytest.raises(InputError, match="trend is part of the design of a study"):
        commands.described_entry(str(tissue), {"label": "tissue", "trend": True})


@pytest.mark.parametrize(
    ("classes", "chosen", "reference", "expected"),
    [
        # of two classes the table of genes compares them; the design needs no reference
        pytest.param(
            "healthy tumour",
            "",
            None,
            "Reference: 'healthy' (the control, by its name); fold",
            id="two classes with a control",
        ),
        pytest.param(
            "AML Healthy",
            "",
            None,
            "Reference: 'Healthy' (the control, by its name)",
            id="a control in capitals",
        ),
        pytest.param(
            "a b",
            "",
            None,
            "Reference: 'a' (no single class has the name of a control); fold changes are",
            id="two classes without a control",
        ),
        pytest.param(
            "control normal",
            "",
            None,
            "Reference: 'control' (no single class has the name of a control)",
            id="two classes that are controls",
        ),
        pytest.param(
            "a b",
            "b",
            "b",
            "Reference: 'b' (as you chose); fold changes are those of 'a' against",
            id="two classes and a choice",
        ),
        # of several classes a control is recognised by the same words
        pytest.param(
            "AML CLL healthy",
            "",
            "healthy",
            "Reference: 'healthy' (the control, by its name); each",
            id="several classes with a control",
        ),
        pytest.param(
            "ctrl drug1 drug2", "", "ctrl", "Reference: 'ctrl'", id="an abbreviated control"
        ),
        pytest.param(
            "AML CLL healthy",
            "CLL",
            "CLL",
            "Reference: 'CLL' (as you chose); each other class is",
            id="several classes and a choice",
        ),
        pytest.param(
            "AML CLL CML",
            "",
            None,
            "Reference: none, because no class, or more than one, has",
            id="several classes without a control",
        ),
        pytest.param("CLL control normal", "", None, "Reference: none", id="two controls"),
    ],
)
def test_the_reference_class_is_named_with_how_to_change_it(classes, chosen, reference, expected):
    summary = summary_of_labels(np.repeat(classes.split(), 3))
    entry = replace(summary.entry, reference=chosen or None)
    result = proposals._with_reference(replace(summary, entry=entry))
    assert result.entry.reference == reference
    assert expected in result.reason
    assert "--set reference=CLASS" in result.reason


def test_a_control_among_several_classes_is_the_reference_of_the_written_study(tmp_path):
    rows = [
        f"s{i},{label},{i}.5,{i * i}.5" for i, label in enumerate(["AML", "CLL", "healthy"] * 9)
    ]
    table = put(tmp_path, "\n".join(["sample,diagnosis,g1,g2", *rows]) + "\n")
    propose(str(table), output=str(tmp_path / "mine"))
    assert entry_in(tmp_path / "mine.yaml").reference == "healthy"
