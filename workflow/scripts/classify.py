"""Draw the folds of one data set, train its classifiers and keep those of all samples."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import scheme_folds
from xnbflow.evaluation.gathering import remove_undeclared
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import halves_table
from xnbflow.inference.learning_curve import learning_curve
from xnbflow.inference.permutation import label_test
from xnbflow.inference.random_genes import random_genes
from xnbflow.models.final import final_model, write_final
from xnbflow.tables.contract import CHECK_TABLES, FOLDS_TABLE, MODEL_TABLES, TRAINING_TABLES
from xnbflow.tables.storage import digest_of_file, write_parquet

series = DataSet.read(snakemake.input.series)
digest = digest_of_file(snakemake.input.series)
scheme, downloads = snakemake.params.scheme, snakemake.config["download"]
folds = scheme_folds(series, scheme, snakemake.input.given, downloads)
entries, final = snakemake.params.entries, list(snakemake.params.final)
tested, halved = snakemake.params.tested, snakemake.params.halved
for i, (name, entry) in enumerate(entries.items()):
    tables = train(series, folds, entry)
    paths = {table: snakemake.output[table][i] for table in TRAINING_TABLES}
    check_sources(snakemake)
    for table, contract in TRAINING_TABLES.items():
        write_parquet(tables[table], paths[table], contract, digest)
    if name in tested:
        checks = {
            "label_test": label_test(series, entry, tested[name]),
            "random_genes": random_genes(series, tables["selected"], folds),
            "learning_curve": learning_curve(series, entry, tested[name]),
        }
        for table, check in checks.items():
            paths[table] = snakemake.output[table][list(tested).index(name)]
            write_parquet(check, paths[table], CHECK_TABLES[table], digest)
    halves = None
    if name in halved:
        paths["halves"] = snakemake.output.halves[list(halved).index(name)]
        halves = halves_table(series, entry, halved[name])
        write_parquet(halves, paths["halves"], CHECK_TABLES["halves"], digest)
    remove_undeclared(Path(paths["fits"]).parent, paths.values())
    if name in final:
        predictions, selected = tables["predictions"], tables["selected"]
        origin = snakemake.params.origin
        model = final_model(series, entry, predictions, selected, origin, halves)
        check_sources(snakemake)
        keys, j = ("model", "gene_sets", *MODEL_TABLES), final.index(name)
        write_final(model, series, {key: snakemake.output[key][j] for key in keys}, digest)
for path in snakemake.output.folds:
    check_sources(snakemake)
    write_parquet(folds, path, FOLDS_TABLE)
