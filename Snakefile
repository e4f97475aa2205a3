# The whole study on one page: acquire -> diagnose -> classify -> compare -> analyse -> report.
# What to run is in config/config.yaml, the data sets are in config/datasets.tsv.
from snakemake.utils import min_version

min_version("9.8")


configfile: f"{workflow.current_basedir}/config/config.yaml"


onerror:
    tell_reasons()


include: "workflow/rules/common.smk"
include: "workflow/rules/acquire.smk"
include: "workflow/rules/diagnose.smk"
include: "workflow/rules/classify.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/keep.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        [path for study in CONFIG.run for path in products(CONFIG.studies[study])],
        INDEX,


for study in CONFIG.studies:

    rule:
        name:
            study
        input:
            products(CONFIG.studies[study]),
            INDEX,
