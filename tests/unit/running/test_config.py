"""The configuration is checked before anything runs, in a sentence each."""

import copy
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from paper_cases import needs
from toys import HOSTILE, mistakes, put

from xnbflow.core.errors import InputError
from xnbflow.core.study import Design
from xnbflow.running.config import RULES, _check_designs, read_config
from xnbflow.running.project import default_configuration, overlay
from xnbflow.sources.dataset_entry import DatasetEntry

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "workflow/schemas/config.schema.json"
RAW = default_configuration(ROOT)
XNB = {"method": "xnb"}
SCAN = {"method": "quantile_normalizer", "reason": "two days"}


def changed(*path, value):
    """The project's configuration with another value, of a key that may be new."""
    raw = copy.deepcopy(RAW)
    place = raw
    for key in path[:-1]:
        place = place.setdefault(key, {})
    place[path[-1]] = value
    return raw


def checked(raw):
    return read_config(raw, SCHEMA)


def refused(raw):
    with pytest.raises(InputError) as error:
        checked(raw)
    assert len(str(error.value)) <= 300
    return str(error.value)


def with_classifier(entry):
    return changed("classifiers", "mine", value={"label": "Mine", **entry})


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        *mistakes("configuration"),
        (("folds", "x"), {"file": "a" * 300}, "more than 255 bytes"),
        (("classifiers", "NB"), RAW["classifiers"]["nb"], "'nb' and 'NB' differ only in"),
    ],
)
def test_a_mistake_is_named(path, value, message):
    assert message in refused(changed(*path, value=value))


@pytest.mark.parametrize(
    ("entry", "message"),
    [*mistakes("classifier"), ({"method": "sklearn.svm." + "m" * 300}, "the path is too long")],
)
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
    paths = [
        ROOT / "Snakefile",
        ROOT / "workflow/Snakefile",
        *(ROOT / "workflow/rules").glob("*.smk"),
    ]
    text = "".join(path.read_text() for path in paths)
    actual = set(re.findall(r"^(?:rule|checkpoint) (\w+):$", text, re.MULTILINE))
    assert actual == RULES
    for name in RULES:
        studies = RAW["studies"] | {name: {"title": "x"}}
        assert f"{name!r} is the name of a rule" in refused(RAW | {"studies": studies})


@pytest.mark.parametrize("key", [5, 1.5, True, None, "", "a" * 61, ".x", "a\n", *HOSTILE])
@pytest.mark.parametrize("place", ["studies", "classifiers", "folds"])
def test_what_cannot_name_a_folder_is_no_id(place, key):
    entry = {"studies": {"title": "x"}, "classifiers": {"label": "x", "method": "xnb"}}
    entry["folds"] = {"splits": 2}
    assert place in refused(RAW | {place: RAW[place] | {key: entry[place]}})


@needs("directional")
def test_steps_of_a_data_set_are_not_put_before_a_classifier_that_counts_columns():
    study = {"title": "x", "datasets": ["wine"], "classifiers": ["vmnb"], "folds": ["10-fold"]}
    raw = changed("studies", "mine", value=study) | {"preprocessing": {"wine": [SCAN]}}
    assert "which names columns (@angular)" in refused(raw)
    raw["preprocessing"] = {"simulated-first": [SCAN]}
    assert "would change one series alone" in refused(
        raw | {"studies": {"demo": raw["studies"]["demo"]}}
    )


def test_steps_of_a_data_set_stand_before_every_classifier_of_it_and_no_reason_changes_results():
    ranks = {"method": "sample_ranks", "reason": "of the study"}
    classifier = {
        "label": "Mine",
        "steps": [SCAN | {"reason": "of mine"}, {"method": "gaussian_nb"}],
    }
    raw = RAW | {
        "preprocessing": {"wine": [ranks]},
        "classifiers": RAW["classifiers"] | {"mine": classifier},
    }
    config = checked(raw)
    assert config.methods("mine", "wine") == ["sample_ranks", "quantile_normalizer", "gaussian_nb"]
    assert config.methods("csnb", "wine") == ["sample_ranks", "csnb"]
    assert config.methods("csnb", "digits") == ["csnb"]
    assert config.classifier("csnb", "digits") == config.classifier("csnb")
    paths = [
        step["method"].rpartition(".")[2] for step in config.classifier("mine", "wine")["steps"]
    ]
    assert paths == ["SampleRanks", "QuantileNormalizer", "GaussianNB"]
    ranks["reason"] = classifier["steps"][0]["reason"] = "another"
    again = checked(raw)
    assert again.classifier("mine", "wine") == config.classifier("mine", "wine")


def test_a_data_set_of_the_same_name_replaces_the_whole_entry():
    table = {"source": "table", "file": "wine.csv", "label": "type"}
    raw = overlay(RAW, {"datasets": {"wine": table}})
    assert raw["datasets"]["wine"] == table
    assert checked(raw).datasets["wine"].location == "wine.csv"
    assert RAW["datasets"]["wine"]["source"] == "bundled"


def test_a_misspelt_key_is_named_with_its_line(tmp_path):
    text = "datasets:\n  mine:\n    source: table\n    file: x.csv\n    labl: type\n"
    path = put(tmp_path, text, "mine.yaml")
    raw = overlay(RAW, yaml.safe_load(text))
    with pytest.raises(InputError) as error:
        read_config(raw, SCHEMA, [ROOT / "config/config.yaml", path])
    message = f"configuration, datasets.mine ({path}, line 5): unknown key 'labl'; did you mean"
    assert str(error.value).startswith(message)
    # a value below a key, and a key of the other parts of the configuration
    raw["datasets"]["mine"] = {"source": "table", "file": 1, "label": "type"}
    with pytest.raises(InputError, match=r"mine\.yaml, line 4\): found 1; use the path of a file"):
        read_config(raw, SCHEMA, [path])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(
            "classifiers:\n  mine:\n    label: M\n    method: xnb\n    params:\n"
            "      treshold: 1\n",
            6,
            id="parameter",
        ),
        pytest.param(
            "studies:\n  one:\n    title: One\n    datasets: [wine]\n    folds: [10-fold]\n"
            "    classifiers: [xbn]\n",
            6,
            id="name",
        ),
        pytest.param(
            "studies:\n  one:\n    title: One\n    datasets: [wine]\n    classifiers: [xnb]\n",
            2,
            id="missing key",
        ),
    ],
)
def test_a_wrong_entry_is_named_with_its_line(tmp_path, text, line):
    path = put(tmp_path, text, "mine.yaml")
    raw = overlay(RAW, yaml.safe_load(text))
    with pytest.raises(InputError, match=rf" \({re.escape(str(path))}, line {line}\)$"):
        read_config(raw, SCHEMA, [ROOT / "config/config.yaml", path])


def test_the_reference_of_a_data_set_is_that_of_designs_without_one():
    raw = copy.deepcopy(RAW)
    raw["datasets"]["wine"]["reference"] = "class_1"
    study = {"title": "x", "datasets": ["wine", "digits"], "design": {"wine": {"trend": True}}}
    raw["studies"]["mine"] = study
    config = checked(raw)
    assert config.studies["mine"].design_of("wine") == Design(trend=True, reference="class_1")
    assert config.studies["mine"].design_of("digits").reference == ""
    study["design"] = {"wine": {"reference": "class_2"}}
    assert checked(raw).studies["mine"].design_of("wine").reference == "class_2"


def test_a_classifier_is_trained_in_the_job_that_its_entry_names():
    classifiers = copy.deepcopy(RAW["classifiers"])
    classifiers["fnb"]["job"] = "slow"
    study = {"title": "x", "datasets": ["wine", "digits"], "folds": ["10-fold"]}
    study["classifiers"] = ["nb", "fnb", "xnb"]
    config = checked(RAW | {"classifiers": classifiers, "studies": {"one": study}, "run": []})
    one = config.studies["one"]
    assert one.training_jobs == [
        ("wine", "10-fold", "main"),
        ("wine", "10-fold", "slow"),
        ("digits", "10-fold", "main"),
        ("digits", "10-fold", "slow"),
    ]
    assert one.classifiers_of("main") == ("nb", "xnb")
    assert one.classifiers_of("slow") == ("fnb",)
    assert config.classifier("fnb") == checked(RAW).classifier("fnb")  # the job is not a parameter


def test_jobs_that_share_a_folder_on_some_disks_are_refused():
    classifiers = copy.deepcopy(RAW["classifiers"])
    classifiers["fnb"]["job"], classifiers["xnb"]["job"] = "slow", "Slow"
    with pytest.raises(InputError, match="jobs of classifiers: 'slow' and 'Slow' differ only"):
        checked(RAW | {"classifiers": classifiers})


def checks_of(**study):
    """Return the tested and the halved classifiers of a study on one data set."""
    settings = {"title": "x", "datasets": ["wine"], "folds": ["10-fold"]}
    settings["classifiers"] = ["forest", "xnb", "csnb", "csnb-cv"]
    config = checked(RAW | {"studies": {"one": settings | study}, "run": []})
    one = config.studies["one"]
    tested = [name for _, name in config.label_tests(one)]
    return tested, [name for _, name in config.halves(one)]


def test_classifiers_are_checked_down_to_the_first_fast_one_that_selects():
    assert checks_of() == (["forest", "xnb"], ["xnb"])
    assert checks_of(headline="forest") == (["forest"], [])
    assert checks_of(headline="csnb-cv") == (["csnb-cv"], ["csnb-cv"])
    assert checks_of(final=["csnb", "csnb-cv"]) == (["csnb"], ["csnb", "csnb-cv"])
    assert checks_of(permutations=0) == ([], ["xnb"])
    assert checks_of(permutations=1999) == (["forest", "xnb"], ["xnb"])
    assert checks_of(halves=0) == (["forest", "xnb"], [])


def test_permutations_of_a_classifier_name_what_replaces_them():
    with pytest.raises(InputError, match="permuted orders of the labels in the label test of each"):
        checks_of(permutations={"xnb": 9})


@pytest.mark.parametrize(
    ("changes", "model"),
    [
        ({"headline": "xnb", "final": ["csnb"]}, "xnb"),
        ({"final": ["csnb"]}, "csnb"),
        ({}, "forest"),
    ],
)
def test_cohorts_are_compared_by_the_headline_else_a_model_else_the_first(changes, model):
    study = {"title": "x", "datasets": ["wine", "digits"], "folds": ["10-fold"]}
    study |= {"classifiers": ["forest", "xnb", "csnb"], "cohorts": ["wine", "digits"]}
    config = checked(RAW | {"studies": {"one": study | changes}, "run": []})
    assert config.studies["one"].cohorts.model == model


def test_a_folder_of_results_is_no_data_set():
    with pytest.raises(InputError, match="'studies' is the name of a folder of results/"):
        checked(changed("datasets", "studies", value=RAW["datasets"]["wine"]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"datasets": []}, "datasets is missing; classifiers, folds and datasets belong together"),
        ({"headline": "svn"}, "headline: unknown classifier 'svn'"),
        ({"final": ["svn"]}, "final: unknown classifier 'svn'"),
        ({"gene_sets": "https://host/h.gmt"}, "studies.one.gene_sets: 'https://host/h.gmt' has no"),
    ],
)
def test_names_in_a_study_are_those_of_its_classifiers(changes, message):
    study = {"title": "x", "datasets": ["wine"], "folds": ["10-fold"], "classifiers": ["nb"]}
    assert message in refused(RAW | {"studies": {"one": study | changes}, "run": []})


@needs("cica")
def test_the_folds_of_an_analysis_exist():
    analyses = {"cica": {"datasets": ["wine"], "folds": "ten"}}
    study = {"title": "x", "analyses": analyses}
    message = refused(RAW | {"studies": {"one": study}, "run": []})
    assert "analyses.cica.folds: unknown scheme of folds 'ten'" in message


def test_defaults_of_a_study_and_of_folds():
    folds = RAW["folds"] | {"a": {"splits": 4}, "b": {"leave_one_group_out": True}}
    config = checked(RAW | {"studies": {"one": {"title": "x"}}, "run": [], "folds": folds})
    assert config.studies["one"].halves == 10
    assert config.studies["one"].diagnostics
    assert (config.folds["a"].splits, config.folds["a"].repeats) == (4, 1)
    assert (config.folds["b"].splits, config.folds["b"].repeats) == (None, 1)


def test_a_reason_is_no_parameter_of_a_step():
    steps = [{"method": "sample_ranks", "reason": "two scanners"}, {"method": "gaussian_nb"}]
    raw = RAW | {"preprocessing": {"wine": [SCAN]}}
    raw["classifiers"] = RAW["classifiers"] | {"mine": {"label": "Mine", "steps": steps}}
    entry = checked(raw).classifier("mine", "wine")
    assert [set(step) for step in entry["steps"]] == [{"method"}] * 3


ADJUSTED = {"adjust": ["age", "factor(plate)"], "biology": ["age"], "trend": False}


def designs_of(design):
    study = {"title": "x", "datasets": ["wine", "digits"], "classifiers": ["nb"]}
    study |= {"folds": ["10-fold"], "design": design}
    return checked(RAW | {"studies": {"one": study}, "run": []}).studies["one"]


def test_one_design_is_that_of_all_data_sets_of_a_study():
    study = designs_of(ADJUSTED | {"reference": "a", "contrasts": ["a vs b"]})
    expected = Design(
        adjust=("age", "factor(plate)"),
        reference="a",
        contrasts=("a vs b",),
        trend=False,
        biology=("age",),
    )
    assert study.design_of("wine") == study.design_of("digits") == expected


def test_a_design_by_data_set_leaves_the_others_without():
    study = designs_of({"wine": ADJUSTED, "digits": {}})
    assert study.design_of("wine").adjust == ("age", "factor(plate)")
    assert study.design_of("digits") == Design()
    assert designs_of({}).design_of("wine") == Design()
    assert (Design().repeated, Design().trend) == ("mean", None)


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        (("age", "factor(type)"), "'type' of .* mine is the class"),
        (("donor",), "'donor' of .* mine is its group"),
    ],
)
def test_comparisons_are_not_adjusted_for_the_class_or_groups(terms, reason):
    row = DatasetEntry("mine", "table", "a.csv", label="type", group="donor")
    study = replace(designs_of({}), designs={"mine": Design(adjust=terms)})
    with pytest.raises(InputError, match=f"studies.one.design.adjust: {reason}") as error:
        _check_designs([study], {"mine": row})
    assert error.value.key == "adjust"
    allowed = replace(study, designs={"mine": Design(adjust=("age",))})
    _check_designs([allowed], {"mine": row})


def test_a_key_that_a_file_has_twice_is_refused(tmp_path):
    """YAML keeps the last one without a word; a merge may repeat what it is laid over."""
    text = "datasets:\n  x: &x\n    group: a\n    label: b\n    group: c\n"
    path = put(tmp_path, text, "mine.yaml")
    with pytest.raises(InputError, match=r"datasets\.x\.group .*line 5.* in line 3, too"):
        read_config(RAW, SCHEMA, [path])
    merged = put(tmp_path, "x: &x\n  group: a\ny:\n  <<: *x\n  group: b\n", "merged.yaml")
    read_config(RAW, SCHEMA, [merged])


@pytest.mark.parametrize("key", ["group", "batch"])
def test_the_label_is_neither_group_nor_batch(key):
    entry = {"source": "table", "file": "a.csv", "label": "type", key: "type"}
    with pytest.raises(InputError, match=f"datasets.mine, {key}.*'type' is the label"):
        checked(changed("datasets", "mine", value=entry))
