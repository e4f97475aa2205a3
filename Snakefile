# The workflow is workflow/Snakefile, where Snakemake's catalogue and snakedeploy look for it.
include: "workflow/Snakefile"


rule default:
    input:
        rules.all.input,
    message:
        "All files of these studies exist"
