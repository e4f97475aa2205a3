"""Run code in a process that starts as a job of the workflow does.

The three arguments are code that runs before the job starts, the parameters of its rule as JSON,
and the code of the job. The log is ``logs/a.log``. The code can import ``sys`` and the other
programs of this folder.
"""

import json
import sys
from types import SimpleNamespace

before, params, work = sys.argv[1:]
exec(before)

# This package is imported only now: what the code before the start imports must not find packages
# of jobs imported already.
from xnbflow.running.job_process import end_job, start_job  # noqa: E402

job = SimpleNamespace(
    rule="toy",
    wildcards={"dataset": "wine"},
    threads=1,
    input=[],
    log=["logs/a.log"],
    params=json.loads(params),
)
start_job(job)
exec(work)
end_job()
