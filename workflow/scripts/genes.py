"""Compare the features of one series between its classes, by the design of a study."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job

start_job(snakemake)

from xnbflow.core.study import Design
from xnbflow.jobs.genes import compare_features
from xnbflow.running.project import ROOT

arguments = snakemake.params.arguments
files = {path: Path(path) for path in snakemake.input.gene_sets}
files |= {path: ROOT / path for path in arguments["shipped_gene_sets"]}

compare_features(
    Path(snakemake.input.series),
    Design(**arguments["design"]),
    gene_set_files=files,
    gene_set_urls=arguments["gene_set_urls"],
    downloads=snakemake.config["download"],
    folder=Path(snakemake.output.genes).parent,
)

end_job()
