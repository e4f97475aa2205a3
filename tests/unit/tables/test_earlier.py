"""Files of earlier versions: each job removes its own by name, beside jobs that write."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pandas as pd
import pytest

from xnbflow.tables.contract import GROUPS, STUDY
from xnbflow.tables.earlier import (
    EARLIER_FILES,
    remove_earlier_analysis,
    remove_earlier_diagnostics,
    remove_earlier_model,
    remove_earlier_tables,
)
from xnbflow.tables.storage import read_parquet, table_files, write_tables

#: The groups of tables of a study whose jobs run beside each other, and the rule of each.
GROUPS_OF_RULES = {"study": "compare", "cohorts": "combine"}
#: Tables that each of these jobs writes in the test; all would take minutes.
WRITTEN = {
    "study": ["headline", "estimates", "selection"],
    "cohorts": ["cohort_series", "cohort_matrix", "meta_genes"],
}


def write_group(root, group):
    """Write tables of a group without rows as its job does; return their paths."""
    schemas = {name: GROUPS[group].tables[name] for name in WRITTEN[group]}
    frames = {name: pd.DataFrame(columns=schema.fixed) for name, schema in schemas.items()}
    folder = root / GROUPS[group].path.parent.of(study="s")
    write_tables(frames, folder, GROUPS[group].tables)
    remove_earlier_tables(GROUPS_OF_RULES[group], root / STUDY.of(study="s"))
    return {folder / f"{name}.parquet": schema for name, schema in schemas.items()}


def folder_of_an_earlier_version(root):
    """Make the folder of a study with all tables of an earlier version beside the page."""
    folder = root / STUDY.of(study="s")
    folder.mkdir(parents=True)
    for names in EARLIER_FILES.values():
        for name in names:
            (folder / name).touch()
    return folder


def files_of_all_groups():
    """Return the files that the jobs of the test leave in the folder of a study."""
    files = set()
    for group, names in WRITTEN.items():
        folder = GROUPS[group].path.parent.rpartition("/")[2]
        files |= {f"{folder}/{file}" for file in table_files(names)}
    return files


def test_jobs_that_write_into_one_study_beside_each_other_disturb_none(tmp_path):
    """A hundred times: an earlier version removed the unfinished files of other jobs."""
    roots = [tmp_path / str(i) for i in range(100)]
    studies = [folder_of_an_earlier_version(root) for root in roots]
    start = Barrier(len(WRITTEN))

    def run(group):
        for root in roots:
            start.wait(timeout=60)
            for path, schema in write_group(root, group).items():
                read_parquet(path, schema)

    with ThreadPoolExecutor(len(WRITTEN)) as pool:
        list(pool.map(run, WRITTEN))  # raises what a job raised
    for folder in studies:
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
        assert files == files_of_all_groups()


@pytest.mark.parametrize("rule", EARLIER_FILES)
def test_a_rule_removes_the_tables_that_it_had_beside_the_page_and_no_other_file(tmp_path, rule):
    others = set()
    for name in (other for other in EARLIER_FILES if other != rule):
        others.update(EARLIER_FILES[name])
    others |= {"report.html", "run.json", "notes.parquet.bak", ".x.part.summary.tsv"}
    for name in {*EARLIER_FILES[rule], *others}:
        (tmp_path / name).touch()
    remove_earlier_tables(rule, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == others


def test_a_model_of_an_earlier_version_is_removed_and_those_of_other_classifiers_stay(tmp_path):
    (tmp_path / "csnb").mkdir()
    for name in ("csnb.skops", "csnb.gmt", "csnb.signature.tsv", "csnb.core.parquet", "nb.skops"):
        (tmp_path / name).touch()
    remove_earlier_model("csnb", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"csnb", "nb.skops"}


def test_an_analysis_of_an_earlier_version_is_removed_with_its_folder(tmp_path):
    for folder in ("effects", "tables", "kept"):
        (tmp_path / folder).mkdir()
        for name in ("curves.parquet", "curves.tsv"):
            (tmp_path / folder / name).touch()
    (tmp_path / "kept" / "notes.txt").touch()
    for analysis in ("effects", "kept", "absent"):
        remove_earlier_analysis(analysis, ["curves"], tmp_path)
    # the name of an analysis may be that of a folder of this version
    remove_earlier_analysis("tables", ["curves"], tmp_path)
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert files == {"kept/notes.txt", "tables/curves.parquet", "tables/curves.tsv"}
    assert not (tmp_path / "effects").exists()


def test_acquire_removes_what_diagnose_and_seek_had_beside_the_series(tmp_path):
    kept = {"series.parquet", "notes.parquet", "truth.parquet", "checksums.sha256", "mine.tsv"}
    earlier = {"audit.parquet", "genes.tsv", "places.parquet", "availability.json"}
    for name in kept | earlier:
        (tmp_path / name).touch()
    remove_earlier_diagnostics(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept


def test_a_folder_of_tables_has_one_writer():
    rules = defaultdict(set)
    for group in GROUPS.values():
        is_file = "." in group.path.rpartition("/")[2]
        rules[group.path.parent if is_file else group.path].add(group.rule)
    assert {folder: names for folder, names in rules.items() if len(names) > 1} == {}
