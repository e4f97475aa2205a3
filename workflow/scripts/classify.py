"""Draw the folds of one data set, train its classifiers and store models of all samples."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import scheme_folds
from xnbflow.models.classifying import Asked, classify
from xnbflow.tables.contract import FOLDS_TABLE
from xnbflow.tables.storage import digest_of_file, write_parquet

series, params = DataSet.read(snakemake.input.series), snakemake.params
given, downloads = snakemake.input.given, snakemake.config["download"]
folds = scheme_folds(series, params.scheme, given, downloads)
asked = Asked(params.entries, params.tested, params.halved, params.final, params.origin)
digest = digest_of_file(snakemake.input.series)
classify(series, folds, asked, snakemake.output, digest, lambda: check_sources(snakemake))
for path in snakemake.output.folds:
    check_sources(snakemake)
    write_parquet(folds, path, FOLDS_TABLE)
