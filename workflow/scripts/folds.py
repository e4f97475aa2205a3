"""Draw the folds of one data set, or read predefined ones."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from xnbflow.evaluation.folds import draw_folds, read_folds
from xnbflow.series import read_header
from xnbflow.tables import write_parquet

header = read_header(snakemake.input.series)
shape = (snakemake.params.splits, snakemake.params.repeats)
if snakemake.input.given:
    folds = read_folds(snakemake.input.given, header, *shape)
else:
    folds = draw_folds(header, *shape)
write_parquet(folds, snakemake.output[0])
