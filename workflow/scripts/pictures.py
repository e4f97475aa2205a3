"""Write the figures of one study as PNG."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.workflow.jobs import check_sources, start_job

start_job(snakemake)

from xnbflow.data.contract import PAPER
from xnbflow.report.page.page import write_pictures
from xnbflow.report.results import StudyResults
from xnbflow.report.study import sections_of
from xnbflow.studies.registry import known_analyses
from xnbflow.workflow.config import read_studies

paper = Path(snakemake.scriptdir).parents[1] / PAPER
study = read_studies(snakemake.config)[snakemake.wildcards.study]
analyses = {name: known_analyses()[name] for name in study.analyses}
results = StudyResults(study, **snakemake.params.results, paper=paper, analyses=analyses)
results.refuse_mixed_series()
check_sources(snakemake)
write_pictures(sections_of(results), Path(snakemake.output[0]), snakemake.threads)
