"""Write the page of one study, with its record and curves."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job, working_directory

start_job(snakemake)

from xnbflow.report.study_page import results_of, write_curves, write_record, write_report
from xnbflow.running.config import study_of_job
from xnbflow.running.provenance import provenance

results = results_of(
    study_of_job(snakemake),
    labels=snakemake.params.arguments["labels"],
    configuration=snakemake.params.arguments["configuration"],
    root=working_directory(snakemake),
    provenance=provenance(),
)
write_report(results, snakemake.output.page)
write_record(results, snakemake.output.record)
write_curves(results, snakemake.output.curves)

end_job()
