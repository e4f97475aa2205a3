"""Make the tables of one study from the files of its jobs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(snakemake.scriptdir).parent / "src"))

from xnbflow.running.job_process import end_job, start_job, working_directory

start_job(snakemake)

from xnbflow.core.study import study_of
from xnbflow.studies.study_reader import StudyChecks, StudyReader
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import write_tables

arguments = snakemake.params.arguments
study = study_of(arguments["study"])
root = working_directory(snakemake)
inputs = StudyReader(study=study, checks=StudyChecks(**arguments["checks"]), root=root)
tables = study_tables(inputs, arguments["entries"], alpha=arguments["alpha"])
write_tables(tables, root / GROUPS["study"].path.parent.of(study=study.id), GROUPS["study"].tables)

end_job()
