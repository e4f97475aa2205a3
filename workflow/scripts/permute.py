"""Test one classifier on one data set by permutations, with its selection of features."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_code, start_job

start_job(snakemake)

from xnbflow.data.dataset import DataSet
from xnbflow.inference.permutation import label_test
from xnbflow.tables.contract import PERMUTATION_TABLES
from xnbflow.tables.storage import write_parquet

table = label_test(
    DataSet.read(snakemake.input.series),
    snakemake.params.entry,
    n_permutations=snakemake.params.n_permutations,
)
check_code(snakemake)
write_parquet(table, snakemake.output.permutation, PERMUTATION_TABLES["permutation"])
