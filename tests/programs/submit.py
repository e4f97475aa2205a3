"""Submit a job as the command of a queue does: print its number, and run its script later.

The arguments are what the profile requests for the job, which ``submitted.txt`` lists with a line
for each job, and the path of its script.
"""

import subprocess
import sys
from pathlib import Path

*requested, script = sys.argv[1:]
with Path("queue.log").open("a") as log:
    job = subprocess.Popen(["sh", script], stdout=log, stderr=log, start_new_session=True)
with Path("submitted.txt").open("a") as file:
    print(*requested, file=file)
print(job.pid)
