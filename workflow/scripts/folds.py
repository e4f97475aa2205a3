"""Draw the folds of one data set, or read predefined ones."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from pathlib import Path

from xnbflow.config import Folds
from xnbflow.contract import DOWNLOADS, FOLDS_TABLE
from xnbflow.evaluation.folds import draw_folds, read_folds
from xnbflow.series import read_header
from xnbflow.sources.download import Downloads
from xnbflow.tables import write_parquet

header = read_header(snakemake.input.series)
scheme = Folds(**snakemake.params.scheme)
if scheme.file is None:
    folds = draw_folds(header, scheme.splits, scheme.repeats)
else:
    downloads = Downloads(Path(DOWNLOADS), **snakemake.config["download"])
    location = snakemake.input.given or scheme.file
    path = downloads.fetch_location("folds", str(location), name=Path(scheme.file).name)
    folds = read_folds(path, header, scheme.splits, scheme.repeats)
write_parquet(folds, snakemake.output[0], FOLDS_TABLE)
