# The workflow: workflow/Snakefile, where Snakemake's catalogue and snakedeploy look for it.
include: "workflow/Snakefile"


if FIRST:  # Snakemake takes no default from what is included
    workflow.default_target = MODIFIER.modify_rulename("all")
