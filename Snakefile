# The workflow: workflow/Snakefile, where Snakemake's catalogue and snakedeploy look for it.
include: "workflow/Snakefile"


workflow.default_target = "all"  # Snakemake takes no default from what is included
