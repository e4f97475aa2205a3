"""What the rules ask of a configuration: inputs, parameters and resources of their jobs."""

import copy
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pandas as pd
import pytest
import yaml
from rule_text import directive
from snakemake.exceptions import WorkflowError

from xnbflow.core.errors import InputError
from xnbflow.core.study import Cohorts, Design, Validation, study_of
from xnbflow.running.config import Folds
from xnbflow.running.data_set_jobs import DataSetPlanner
from xnbflow.running.finish import _left_out_sentences
from xnbflow.running.plan import Plan, exactly
from xnbflow.running.project import default_configuration
from xnbflow.running.study_jobs import StudyPlanner
from xnbflow.studies import study_reader
from xnbflow.studies.study_reader import StudyChecks, StudyReader
from xnbflow.tables.contract import GROUPS

ROOT = Path(__file__).parents[3]
TABLE = {"source": "table", "file": "mine.csv", "label": "kind"}
DATASETS = {"mine": TABLE | {"shape": {"samples": 40, "features": 1000}}, "unknown": TABLE}
STUDIES = """
one:
  title: One
  datasets: [wine, mine]
  classifiers: [nb, csnb, forest]
  folds: [5-fold, 10-fold]
  final: [csnb]
  headline: csnb
two:
  title: Two
  datasets: [wine]
  classifiers: [nb]
  folds: [5-fold]
  diagnostics: false
  permutations: 0
"""


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("kind,f\na,1\nb,2\n")
    raw = copy.deepcopy(default_configuration(ROOT))
    raw |= {"studies": yaml.safe_load(STUDIES), "run": ["one"]}
    raw["datasets"] |= DATASETS
    return Plan.read(raw, ROOT, mark_local=lambda path: f"local:{path}")


def wildcards(**values):
    return SimpleNamespace(**values)


ONE = wildcards(study="one")
TWO = wildcards(study="two")
WINE = {"study": "one", "dataset": "wine"}


def test_a_users_file_is_a_local_input_with_its_size_and_time(plan):
    job = wildcards(dataset="mine")
    assert DataSetPlanner(plan).user_files(job) == {"location": "local:mine.csv"}
    assert DataSetPlanner(plan).user_files(wildcards(dataset="wine")) == {}


def test_a_file_that_is_missing_is_named_with_the_places_where_it_was_sought(plan, tmp_path):
    (tmp_path / "mine.csv").unlink()
    with pytest.raises(WorkflowError, match=r"data set mine, file: no such file: .*mine\.csv"):
        DataSetPlanner(plan).user_files(wildcards(dataset="mine"))


def test_the_size_of_a_data_set_is_that_of_its_entry_or_of_a_large_one(plan):
    assert plan.dataset_mb(wildcards(dataset="mine")) == pytest.approx(40 * 1000 * 20e-6)
    unknown = wildcards(dataset="unknown")
    assert plan.dataset_mb(unknown, samples=7) == pytest.approx(7 * 54_675 * 20e-6)
    assert plan.dataset_mb(unknown) == pytest.approx(300 * 54_675 * 20e-6)
    both = [{"dataset": "mine"}, {"dataset": unknown.dataset}]
    assert plan.datasets_mb(both) == pytest.approx((40 * 1000 + 100 * 54_675) * 20e-6)
    assert plan.datasets_mb([]) == 0


def inputs_of(rule, plan):
    """Return the input functions of a rule by the names of its inputs, where they are functions."""
    planners = {"OF_STUDY": StudyPlanner(plan), "OF_DATA": DataSetPlanner(plan)}
    files = directive(rule, "input", **planners)
    return {name: choose for name, choose in files.items() if callable(choose)}


class Files(list):
    """Inputs of a rule with their sizes."""

    def __init__(self, **sizes):
        super().__init__(name.replace("_", ".") for name in sizes)
        self.size_files_mb = list(sizes.values())


def test_a_packed_file_counts_four_times(plan):
    job = wildcards(dataset="mine")
    assert DataSetPlanner(plan).size_mb(job, Files(a_csv=3, b_gz=2)) == 3 + 4 * 2
    assert DataSetPlanner(plan).size_mb(job, Files()) == plan.dataset_mb(job)


def test_diagnostics_are_tested_where_one_study_of_the_data_set_asks(plan):
    arguments = DataSetPlanner(plan).arguments_of_diagnose
    assert arguments(wildcards(dataset="wine"))["tests"]["min_abs_r"] == 0.7
    assert arguments(wildcards(dataset="digits"))["tests"] is None


def test_a_job_trains_the_classifiers_of_its_name(plan):
    train = DataSetPlanner(plan)
    main = wildcards(**WINE, folds="5-fold", job="main")
    assert list(train.entries(main)) == ["nb", "csnb"]
    assert list(train.entries(wildcards(**WINE, folds="5-fold", job="forest"))) == ["forest"]
    assert plan.jobs == ["forest", "main"]
    training = inputs_of("compare", plan)["training"](ONE)
    assert [path for path in training if path.endswith("/fits.parquet")][:2] == [
        "results/studies/one/training/wine/5-fold/main/fits.parquet",
        "results/studies/one/training/wine/5-fold/forest/fits.parquet",
    ]


def test_checks_are_of_the_first_folds(plan):
    train = DataSetPlanner(plan)
    assert train.random_gene_classifiers(wildcards(**WINE, folds="5-fold", job="main")) == ["csnb"]
    assert train.random_gene_classifiers(wildcards(**WINE, folds="10-fold", job="main")) == []
    assert train.label_test_classifiers(wildcards(**WINE)) == ["csnb"]
    assert train.halves_classifiers(wildcards(**WINE)) == ["csnb"]
    checks = inputs_of("compare", plan)["checks"](ONE)
    assert [path for path in checks if path.endswith("/halves.parquet")] == [
        "results/studies/one/checks/wine/halves.parquet",
        "results/studies/one/checks/mine/halves.parquet",
    ]


def test_each_data_set_has_its_own_tested_and_halved_classifiers(plan, monkeypatch):
    pairs = [("wine", "csnb"), ("mine", "nb"), ("mine", "csnb")]
    for name in ("label_tests", "halves"):
        monkeypatch.setattr(type(plan.config), name, lambda config, study: pairs)
    train = DataSetPlanner(plan)
    for choose in (train.label_test_classifiers, train.halves_classifiers):
        assert list(choose(wildcards(study="one", dataset="wine"))) == ["csnb"]
        assert list(choose(wildcards(study="one", dataset="mine"))) == ["nb", "csnb"]


def test_a_study_without_permutations_has_no_label_test(plan):
    train = DataSetPlanner(plan)
    job = wildcards(study="two", dataset="wine", folds="5-fold")
    assert train.random_gene_classifiers(job) == []
    assert StudyPlanner(plan).checks(TWO)["label_tests"] == []


def test_the_label_test_has_the_permutations_and_the_columns_of_its_study(plan):
    study = plan.config.studies["one"]
    design = Design(adjust=("age",), reference="a")
    plan.config.studies["one"] = replace(study, permutations=1999, designs={"wine": design})
    arguments = DataSetPlanner(plan).arguments_of_check(wildcards(study="one", dataset="wine"))
    assert (arguments["n_permutations"], arguments["adjust"]) == (1999, ("age",))
    assert arguments["n_pairs"] == study.halves


def test_a_model_has_the_figures_of_its_job_and_the_first_folds(plan):
    job = wildcards(**WINE, classifier="csnb")
    files = inputs_of("models", plan)
    training = "results/studies/one/training/wine/5-fold/main"
    assert f"{training}/predictions.parquet" in files["training"](job)
    assert {str(Path(path).parent) for path in files["training"](job)} == {training}
    assert "results/studies/one/checks/wine/halves.parquet" in files["checks"](job)
    arguments = DataSetPlanner(plan).arguments_of_models(job)
    assert arguments["trained_classifiers"] == ["nb", "csnb"]


class ReadPaths:
    """Stands for the readers of tables, and keeps the paths that they would read."""

    def __init__(self):
        self.paths = []

    def __call__(self, path, schema, classifiers=()):
        del schema
        self.paths.append(str(path))
        return dict.fromkeys(classifiers or (), pd.DataFrame())


@pytest.mark.parametrize("job", [ONE, TWO], ids=["one", "two"])
def test_a_job_of_compare_reads_the_inputs_of_its_rule(plan, job):
    """It reads its files at the paths of the contract; the rule declares the same ones."""
    of_study = StudyPlanner(plan)
    study = study_of(of_study.comparison_fields(job))
    checks = StudyChecks(**of_study.checks(job))
    inputs = StudyReader(study=study, checks=checks)
    read = ReadPaths()
    with patch.multiple(study_reader, read_stacked=read, read_parquet=read):
        for table in GROUPS["training"].tables:
            inputs.training_tables(table)
        for table in GROUPS["check"].tables:
            inputs.check_tables(table, [*checks.label_tests, *checks.halves])
        for table in ("normality", "dependence", "dependence_test"):
            inputs.diagnostic_tables(table)
        for table in ("findings", "associations"):
            inputs.dataset_tables("audit", table)
        inputs.dataset_tables("acquired", "truth")
        inputs.dataset_tables("acquired", "findings")
    declared = []
    for choose in inputs_of("compare", plan).values():
        declared += choose(job)
    series = [str(path) for path in inputs.series_paths.values()]
    # The inputs are whole groups of tables: *report* alone reads some of those of *diagnose*.
    not_read = set(declared) - {*series, *read.paths}
    assert {Path(path).parent.name for path in not_read} <= {"diagnostics"}
    assert sorted(set(declared) - not_read) == sorted([*series, *read.paths])


def test_public_files_of_gene_sets_are_parameters_and_those_of_the_user_inputs(plan, tmp_path):
    """A public one is downloaded by the job, into the folder of downloads."""
    (tmp_path / "sets.gmt").write_text("a\t-\tb\n")
    url = "https://host/h.gmt#sha256=" + 64 * "0"
    gene_sets = (str(tmp_path / "sets.gmt"), url)
    plan.config.studies["one"] = replace(plan.config.studies["one"], gene_sets=gene_sets)
    planner = StudyPlanner(plan)
    assert planner.gene_set_files(ONE) == [f"local:{tmp_path}/sets.gmt"]
    assert planner.gene_set_urls(ONE) == [url]


def test_the_targets_of_a_study_are_its_page_tables_and_models(plan):
    targets = StudyPlanner(plan).of_study("one")
    assert "results/studies/one/report.html" in targets
    assert "results/studies/one/models/wine/csnb/csnb.skops" in targets
    assert StudyPlanner(plan).of_run() == targets


def test_the_record_of_a_study_names_what_it_depends_on(plan):
    configuration = StudyPlanner(plan).configuration(ONE)
    assert list(configuration["datasets"]) == ["wine", "mine"]
    assert configuration["datasets"]["mine"] == DATASETS["mine"]
    assert list(configuration["classifiers"]) == ["nb", "csnb", "forest"]
    assert list(configuration["folds"]) == ["5-fold", "10-fold"]


def test_a_mistake_in_the_configuration_is_an_input_error():
    raw = default_configuration(ROOT) | {"run": ["no-such-study"]}
    with pytest.raises(InputError, match="unknown study 'no-such-study'"):
        Plan.read(raw, ROOT)


def test_names_are_matched_as_they_are_written():
    assert exactly(["a.b"]) == r"a\.b"
    assert exactly([]) == "(?!)"


def test_every_compressed_file_counts_four_times(plan):
    job = wildcards(dataset="mine")
    files = Files(a_gz=1, b_xlsx=1, c_parquet=1, d_h5ad=1)
    assert DataSetPlanner(plan).size_mb(job, files) == 16


def test_a_users_file_is_read_again_if_its_size_or_time_changes(plan, tmp_path):
    plan = replace(plan, mark_local=str)
    os.utime(tmp_path / "mine.csv", ns=(5_000, 7_000))
    assert DataSetPlanner(plan).user_file_states(wildcards(dataset="mine")) == {
        "location": [15, 7_000]
    }


@pytest.mark.parametrize(("repeats", "factor"), [(4, 1), (5, 2), (10, 3)])
def test_the_run_time_grows_by_one_per_ten_fits_of_a_fold(plan, repeats, factor):
    """The job main has two classifiers: ten fits of a fold are five repeats."""
    plan.config.folds["5-fold"] = Folds(splits=5, repeats=repeats)
    assert DataSetPlanner(plan).repeats(wildcards(**WINE, folds="5-fold", job="main")) == factor


def test_a_model_that_is_not_fitted_to_halves_reads_none(plan):
    job = wildcards(study="two", dataset="wine", classifier="nb")
    assert inputs_of("models", plan)["checks"](job) == []


def test_the_settings_of_diagnostics_are_those_of_dependence(plan):
    plan.config.diagnostics.update(min_abs_r=0.6, dependence_alpha=0.001, normality_alpha=0.05)
    settings = DataSetPlanner(plan).arguments_of_diagnose(wildcards(dataset="wine"))["tests"]
    assert (settings["min_abs_r"], settings["alpha"]) == (0.6, 0.001)


def test_a_data_set_is_checked_for_halves_alone(plan):
    study = replace(plan.config.studies["two"], classifiers=("csnb",), permutations=0)
    assert plan.config.label_tests(study) == []
    plan.config.studies["two"] = study
    assert StudyPlanner(plan).check_datasets(TWO) == [{"dataset": "wine"}]


@pytest.fixture
def full_plan(plan):
    """The plan with a study that is tested in a second cohort, and combined."""
    plan.config.studies["one"] = replace(
        plan.config.studies["one"],
        validate=(Validation(model="csnb", train="wine", test="mine"),),
        cohorts=Cohorts(("wine", "mine"), "csnb", match="symbol", harmonise="zscore"),
    )
    return plan


def with_designs(plan, study, **designs):
    return replace(plan.config.studies[study], designs=designs)


def test_the_trend_of_a_design_is_that_of_the_transform_unless_it_is_named(plan):
    """Logarithms of counts per million have variances that depend on their means."""
    job = wildcards(study="one", dataset="mine")
    assert StudyPlanner(plan).arguments_of_genes(job)["design"] == vars(Design()) | {"trend": False}
    plan.datasets["mine"] = replace(plan.datasets["mine"], transform="log_cpm")
    assert StudyPlanner(plan).arguments_of_genes(job)["design"]["trend"]
    plan.config.studies["one"] = with_designs(plan, "one", mine=Design(trend=False))
    assert not StudyPlanner(plan).arguments_of_genes(job)["design"]["trend"]


def test_the_verdict_depends_on_the_columns_that_are_biology(plan):
    """Other parts of a design change comparisons of features alone."""
    plan.config.studies["one"] = with_designs(
        plan, "one", wine=Design(adjust=("age",), biology=("stage",)), mine=Design(adjust=("age",))
    )
    study = study_of(StudyPlanner(plan).comparison_fields(ONE))
    assert study.designs == {"wine": Design(biology=("stage",))}


def test_two_studies_of_a_data_set_have_two_designs_and_folders(plan):
    plan.config.studies["one"] = with_designs(plan, "one", wine=Design(reference="class_0"))
    plan.config.studies["two"] = with_designs(plan, "two", wine=Design(reference="class_1"))
    for study, reference in (("one", "class_0"), ("two", "class_1")):
        job = wildcards(study=study, dataset="wine")
        design = StudyPlanner(plan).arguments_of_genes(job)["design"]
        assert design["reference"] == reference


def test_combined_series_depend_on_the_model_of_their_genes_alone(full_plan):
    """A reference or further contrasts change no effect, and shall not repeat the job."""
    before = StudyPlanner(full_plan).designs(ONE)
    full_plan.config.studies["one"] = with_designs(
        full_plan, "one", wine=Design(reference="class_0", contrasts=("class_0 vs class_1",))
    )
    assert StudyPlanner(full_plan).designs(ONE) == before
    full_plan.config.studies["one"] = with_designs(full_plan, "one", wine=Design(trend=True))
    assert StudyPlanner(full_plan).designs(ONE)["wine"]["trend"]


def test_cohorts_are_matched_and_harmonised_as_the_study_states(full_plan):
    combination = StudyPlanner(full_plan).combination(ONE)
    assert (combination["match"], combination["harmonise"]) == ("symbol", "zscore")
    assert combination["model"] == "csnb"


def test_a_file_of_the_working_directory_precedes_one_of_the_project(plan, tmp_path):
    (tmp_path / "config").mkdir()
    assert plan.local_file("config/config.yaml", "x") == f"local:{ROOT}/config/config.yaml"
    (tmp_path / "config/config.yaml").write_text("")
    assert plan.local_file("config/config.yaml", "x") == "local:config/config.yaml"


def test_the_record_has_the_steps_of_data_sets_and_the_folds_of_analyses(plan):
    steps = [{"method": "sample_ranks", "reason": "two scanners"}]
    plan.config.preprocessing["wine"] = steps
    analyses = {"x": {"datasets": ["mine"], "folds": "10-fold"}}
    plan.config.studies["two"] = replace(plan.config.studies["two"], analyses=analyses)
    configuration = StudyPlanner(plan).configuration(TWO)
    assert configuration["preprocessing"] == {"wine": steps}
    assert list(configuration["folds"]) == ["5-fold", "10-fold"]
    assert list(configuration["datasets"]) == ["wine", "mine"]
    job = wildcards(study="two", analysis="x")
    arguments = StudyPlanner(plan).arguments_of_analyse
    assert arguments(job)["scheme"]["splits"] == 10
    assert arguments(wildcards(study="two", analysis="y"))["scheme"] is None


def test_only_existing_pages_are_listed(plan, tmp_path):
    assert StudyPlanner(plan).pages() == []
    page = tmp_path / "results/studies/one/report.html"
    page.parent.mkdir(parents=True)
    page.touch()
    assert StudyPlanner(plan).pages() == []  # of a study that was not planned
    plan.study(ONE)
    assert StudyPlanner(plan).pages() == [page]


def test_other_code_counts_for_the_study_that_names_it(plan, tmp_path, monkeypatch):
    """Classifiers behind steps, and a module beside the configuration."""
    plan.config.preprocessing["wine"] = [{"method": "sample_ranks", "reason": "two scanners"}]
    assert set(StudyPlanner(plan).own_code(ONE)) == {"sklearn"}
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_module.py").write_text("class Model: ...\n")
    plan.config.classifiers["csnb"]["method"] = "own_module.Model"
    before = StudyPlanner(plan).own_code(ONE)["own_module"]
    (tmp_path / "own_module.py").write_text("class Model: ...  # edited\n")
    assert StudyPlanner(plan).own_code(ONE)["own_module"] != before


def test_gene_sets_of_the_project_are_parameters_by_their_content(plan):
    """As inputs they would have the path and the time of one clone."""
    shipped = "config/gene-sets/planted-modules.gmt"
    plan.config.studies["one"] = replace(plan.config.studies["one"], gene_sets=(shipped,))
    planner = StudyPlanner(plan)
    assert planner.gene_set_files(ONE) == []
    assert list(planner.shipped_gene_sets(ONE)) == [shipped]


def test_optional_data_sets_without_their_file_are_left_out_of_the_plan(plan, tmp_path):
    raw = copy.deepcopy(dict(plan.raw))
    raw["studies"]["one"]["optional"] = ["mine"]
    complete = Plan.read(raw, ROOT)
    assert complete.study(ONE).datasets == ("wine", "mine")
    assert StudyPlanner(complete).of_study("one") == StudyPlanner(plan).of_study("one")
    (tmp_path / "mine.csv").unlink()
    rest = Plan.read(raw, ROOT)
    assert rest.study(ONE).datasets == ("wine",)
    assert rest.study(ONE).missing == {"mine": "file: there is no file mine.csv"}
    assert not [path for path in StudyPlanner(rest).of_study("one") if "/mine/" in path]
    assert list(StudyPlanner(rest).configuration(ONE)["datasets"]) == ["wine"]
    assert _left_out_sentences(rest.planned.values()) == [
        "Left out of one: mine; file: there is no file mine.csv"
    ]


@pytest.mark.parametrize("skip", ["mine", ["mine"]])
def test_a_data_set_under_skip_is_left_out_of_every_study(plan, skip):
    """``--config skip=mine`` is a text, the configuration has a list."""
    rest = Plan.read({**plan.raw, "skip": skip}, ROOT)
    assert rest.study(ONE).datasets == ("wine",)
    assert "skip" in rest.study(ONE).missing["mine"]
    assert rest.study(TWO).missing == {}


def test_a_study_from_which_all_data_sets_are_left_out_is_refused(plan):
    """Another study of the same configuration runs."""
    rest = Plan.read({**plan.raw, "skip": ["wine"]}, ROOT)
    assert rest.study(ONE).datasets == ("mine",)
    with pytest.raises(WorkflowError, match=r"the study two has no data set(.|\n)*wine: .*skip"):
        rest.study(TWO)


def test_a_study_that_simulates_needs_no_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rest = Plan.read(default_configuration(ROOT), ROOT)
    assert rest.study(wildcards(study="separation")).datasets == ()
    assert list(rest.study(wildcards(study="separation")).analyses) == ["separation"]
    with pytest.raises(WorkflowError, match=r"resources/downloads/microarray/SRBCT_Khan2001\.csv"):
        rest.study(wildcards(study="baselines"))


@pytest.mark.parametrize(
    ("base_urls", "file", "is_there"),
    [
        ({}, "", False),
        ({}, "resources/downloads/microarray/SRBCT_Khan2001.csv.gz", True),
        ({"microarray": ["arrays"]}, "arrays/SRBCT_Khan2001.csv", True),
        ({"microarray": ["arrays"]}, "other/SRBCT_Khan2001.csv", False),
        ({"microarray": ["https://host/arrays"]}, "", True),  # a job downloads it, or fails
    ],
)
def test_a_file_is_sought_where_a_job_would_read_it(plan, tmp_path, base_urls, file, is_there):
    if file:
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).touch()
    raw = copy.deepcopy(dict(plan.raw))
    raw["download"]["base_urls"] |= base_urls
    raw["studies"]["two"] |= {"datasets": ["wine", "Khan2001"], "optional": ["Khan2001"]}
    assert ("Khan2001" in Plan.read(raw, ROOT).study(TWO).datasets) == is_there


def test_compare_and_report_are_one_job_of_a_cluster_without_an_analysis_between_them(plan):
    planner = StudyPlanner(plan)
    assert planner.end_group(ONE) == "end"
    known = {"needy": SimpleNamespace(needs=("summary",)), "free": SimpleNamespace(needs=())}
    with patch("xnbflow.running.study_jobs.known_analyses", lambda: known):
        for name, group in (("needy", None), ("free", "end")):
            plan.config.studies["one"] = replace(plan.config.studies["one"], analyses={name: {}})
            assert planner.end_group(ONE) == group
