"""What the rules ask of a configuration: inputs, parameters and resources of their jobs."""

import copy
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from snakemake.exceptions import WorkflowError

from xnbflow.core.errors import InputError
from xnbflow.running.plan import Plan, exactly
from xnbflow.running.project import default_configuration

ROOT = Path(__file__).parents[3]
SHEET = """id\tsource\tlocation\tlabel\tsamples\tfeatures
mine\ttable\tmine.csv\tkind\t40\t1000
unknown\ttable\tmine.csv\tkind\t\t
"""
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
  permutations: {nb: 9}
"""


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("kind,f\na,1\nb,2\n")
    (tmp_path / "mine.tsv").write_text(SHEET)
    raw = copy.deepcopy(default_configuration(ROOT))
    raw |= {"studies": yaml.safe_load(STUDIES), "run": ["one"], "sheets": ["mine.tsv"]}
    return Plan.read(raw, ROOT, mark_local=lambda path: f"local:{path}")


def wildcards(**values):
    return SimpleNamespace(**values)


ONE = wildcards(study="one")
TWO = wildcards(study="two")
WINE = {"study": "one", "dataset": "wine"}


def test_a_users_file_is_a_local_input_with_its_size_and_time(plan):
    job = wildcards(dataset="mine")
    assert plan.user_files(job) == {"location": "local:mine.csv"}
    assert plan.user_files(wildcards(dataset="wine")) == {}


def test_a_file_that_is_missing_is_named_with_the_places_where_it_was_sought(plan, tmp_path):
    (tmp_path / "mine.csv").unlink()
    with pytest.raises(WorkflowError, match=r"data set mine, location: no such file: .*mine\.csv"):
        plan.user_files(wildcards(dataset="mine"))


def test_the_size_of_a_data_set_is_that_of_the_sheet_or_of_a_large_one(plan):
    assert plan.sheet_mb(wildcards(dataset="mine")) == pytest.approx(40 * 1000 * 20e-6)
    unknown = wildcards(dataset="unknown")
    assert plan.sheet_mb(unknown, samples=7) == pytest.approx(7 * 54_675 * 20e-6)
    assert plan.sheet_mb(unknown) == pytest.approx(300 * 54_675 * 20e-6)


class Files(list):
    """Inputs of a rule with their sizes."""

    def __init__(self, **sizes):
        super().__init__(name.replace("_", ".") for name in sizes)
        self.size_files_mb = list(sizes.values())


def test_a_packed_file_counts_four_times(plan):
    job = wildcards(dataset="mine")
    assert plan.acquired_mb(job, Files(a_csv=3, b_gz=2)) == 3 + 4 * 2
    assert plan.acquired_mb(job, Files()) == plan.sheet_mb(job)


def test_diagnostics_are_tested_where_one_study_of_the_data_set_asks(plan):
    assert plan.diagnostic_settings(wildcards(dataset="wine"))["min_abs_r"] == 0.7
    assert plan.diagnostic_settings(wildcards(dataset="digits")) is None
    assert plan.diagnosed("normality", TWO) == []
    assert plan.diagnosed("normality", ONE) == [
        "results/wine/normality.parquet",
        "results/mine/normality.parquet",
    ]


def test_a_job_trains_the_classifiers_of_its_name(plan):
    main = wildcards(**WINE, folds="5-fold", job="main")
    assert list(plan.job_entries(main)) == ["nb", "csnb"]
    assert list(plan.job_entries(wildcards(**WINE, folds="5-fold", job="forest"))) == ["forest"]
    assert set(plan.job_code(wildcards(**WINE, folds="5-fold", job="forest"))) == {"sklearn"}
    assert plan.job_code(main) == {}
    assert plan.jobs == ["forest", "main"]
    assert plan.trained("fits", ONE)[:2] == [
        "results/studies/one/training/wine/5-fold/main/fits.parquet",
        "results/studies/one/training/wine/5-fold/forest/fits.parquet",
    ]


def test_checks_are_of_the_first_folds(plan):
    assert plan.tested(wildcards(**WINE, folds="5-fold", job="main")) == ["csnb"]
    assert plan.tested(wildcards(**WINE, folds="10-fold", job="main")) == []
    assert list(plan.tested_with(wildcards(**WINE))) == ["csnb"]
    assert plan.halved(wildcards(**WINE)) == ["csnb"]
    assert plan.checked("halves", ONE) == [
        "results/studies/one/checks/wine/halves.parquet",
        "results/studies/one/checks/mine/halves.parquet",
    ]


def test_a_study_with_permutations_of_its_own_has_no_label_test(plan):
    assert plan.tested(wildcards(study="two", dataset="wine", folds="5-fold")) == []
    assert plan.permuted(TWO) == ["results/studies/two/permutations/wine/nb/permutation.parquet"]
    assert plan.n_permutations(wildcards(study="two", dataset="wine", classifier="nb")) == 9


def test_a_model_has_the_figures_of_its_job_and_the_first_folds(plan):
    job = wildcards(**WINE, classifier="csnb")
    training = "results/studies/one/training/wine/5-fold/main"
    assert plan.training_of_model(job) == {
        "predictions": f"{training}/predictions.parquet",
        "selected": f"{training}/selected.parquet",
        "halves": "results/studies/one/checks/wine/halves.parquet",
    }
    assert plan.classifiers_beside(job) == {"training": ["nb", "csnb"], "halves": ["csnb"]}


def test_the_owners_of_files_are_in_their_order(plan):
    owners = plan.owners(ONE)
    assert len(owners["jobs"]) == len(plan.trained("fits", ONE))
    assert owners["jobs"][0] == ("wine", "5-fold", ("nb", "csnb"))
    assert owners["trained"][0] == ("wine", "5-fold", "nb")
    assert owners["checked"] == ["wine", "mine"]


def test_the_times_of_every_job_of_a_study_are_read(plan):
    records = plan.usage_of_jobs(ONE)
    rules = [path.split("/")[2] for path in records]
    # two data sets; two schemes with two jobs each; one model
    expected = {"acquire": 2, "diagnose": 2, "classify": 8, "check": 2, "models": 2, "compare": 1}
    assert {rule: rules.count(rule) for rule in rules} == expected


def test_the_targets_of_a_study_are_its_page_tables_and_models(plan):
    targets = plan.targets("one")
    assert "results/studies/one/report.html" in targets
    assert "results/studies/one/models/wine/csnb.skops" in targets
    assert plan.all_targets() == targets
    assert not any("permutations" in path for path in targets)


def test_the_record_of_a_study_names_what_it_depends_on(plan):
    configuration = plan.results(ONE)["configuration"]
    assert list(configuration["datasets"]) == ["wine", "mine"]
    assert configuration["datasets"]["mine"]["sheet"] == "mine.tsv"
    assert list(configuration["classifiers"]) == ["nb", "csnb", "forest"]
    assert list(configuration["folds"]) == ["5-fold", "10-fold"]


def test_a_mistake_in_the_configuration_is_an_input_error():
    raw = default_configuration(ROOT) | {"run": ["no-such-study"]}
    with pytest.raises(InputError, match="unknown study 'no-such-study'"):
        Plan.read(raw, ROOT)


def test_names_are_matched_as_they_are_written():
    assert exactly(["a.b"]) == r"a\.b"
    assert exactly([]) == "(?!)"
