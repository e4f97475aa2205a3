"""Write the report of one study, and the index of all reports."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.core.plugins import known_analyses
from xnbflow.report.index import write_index
from xnbflow.report.results import StudyResults
from xnbflow.report.study_page import write_curves, write_record, write_report
from xnbflow.running.config import read_studies
from xnbflow.tables.contract import INDEX, REPORT

studies = read_studies(snakemake.config)
study = studies[snakemake.wildcards.study]
analyses = {name: known_analyses()[name] for name in study.analyses}
root = Path(snakemake.output.page.removesuffix(REPORT.of(study=study.id)))
results = StudyResults(study, **snakemake.params.results, root=root, analyses=analyses)
results.refuse_mixed_series()
check_sources(snakemake)
write_report(results, snakemake.output.page, snakemake.output.figures, snakemake.threads)
write_record(results, snakemake.output.record)
write_curves(results, snakemake.output.curves)

labels = {name: entry["label"] for name, entry in snakemake.config["classifiers"].items()}
configured = [
    StudyResults(each, {name: labels[name] for name in each.classifiers}, {}, results.root)
    for each in studies.values()
]
write_index(configured, results.root / INDEX)
