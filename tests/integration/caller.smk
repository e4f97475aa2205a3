# A workflow that imports ours twice; SNAKEFILE stands for the path of ours.
import gc, json, os

def state():
    return {
        "garbage collector": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()],
        "environment": dict(os.environ),
        "scheduler": repr([workflow.scheduler, workflow.scheduling_settings]),
        "handlers": {key: id(value) for key, value in vars(workflow).items() if key[:3] == "_on"},
    }

configfile: "caller.yaml"

rule mine:
    output: "mine.txt"
    shell: "touch {output}"

before = state()

module first:
    snakefile: "SNAKEFILE"
    config: config
    prefix: "one"

use rule * from first as first_*

module second:
    snakefile: "SNAKEFILE"
    config: config
    prefix: "two"

use rule * from second as second_*

with open("states.json", "w") as file:
    json.dump([before, state()], file)
