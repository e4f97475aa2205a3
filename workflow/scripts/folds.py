"""Draw the folds of one data set, or read predefined ones."""

from xnbflow.workflow.jobs import start_job

start_job(snakemake)

from pathlib import Path

from xnbflow.data.contract import DOWNLOADS, FOLDS_TABLE
from xnbflow.data.dataset import read_header
from xnbflow.data.sources.downloads import Downloads, RetryPolicy
from xnbflow.data.tables import write_parquet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.folds_file import read_folds

header = read_header(snakemake.input.series)
splits, repeats, file = (snakemake.params.scheme[key] for key in ("splits", "repeats", "file"))
if file is None:
    folds = draw_folds(header, splits, repeats)
else:
    settings = dict(snakemake.config["download"])
    downloads = Downloads(Path(DOWNLOADS), settings.pop("base_urls"), RetryPolicy(**settings))
    location = snakemake.input.given or file
    folds = downloads.accepted(
        lambda: read_folds(
            downloads.fetch_location("folds", str(location), name=Path(file).name),
            header,
            splits,
            repeats,
        )
    )
write_parquet(folds, snakemake.output[0], FOLDS_TABLE)
