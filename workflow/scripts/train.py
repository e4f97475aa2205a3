"""Train one classifier over a batch of folds of one data set."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import folds_of_batch, scheme_folds
from xnbflow.evaluation.training import train
from xnbflow.tables.contract import TRAINING_TABLES
from xnbflow.tables.storage import digest_of_file, write_parquet

series = DataSet.read(snakemake.input.series)
digest = digest_of_file(snakemake.input.series)
scheme, downloads = snakemake.params.scheme, snakemake.config["download"]
folds = scheme_folds(series, scheme, snakemake.input.given, downloads)
batch = snakemake.params.batch
tested = folds_of_batch(folds, batch["repeats"], batch["folds"])
tables = train(series, tested, snakemake.params.entry)
check_sources(snakemake)
for name, table in TRAINING_TABLES.items():
    write_parquet(tables[name], snakemake.output[name], table, digest)
