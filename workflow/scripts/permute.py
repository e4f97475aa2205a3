"""Test one classifier on one data set by permutations, its selection of features included."""

from xnbflow.jobs import start_job

start_job(snakemake.log[0], snakemake.threads)

from xnbflow.evaluation.permutation import permutation_scores, permutation_table
from xnbflow.series import Series
from xnbflow.tables import write_parquet

scores = permutation_scores(
    Series.read(snakemake.input.series), snakemake.params.entry, **snakemake.params.permutation
)
write_parquet(scores, snakemake.output.scores)
write_parquet(permutation_table(scores), snakemake.output.table)
