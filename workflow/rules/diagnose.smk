# Diagnose: differences of features between the classes, and the audit: causes of unreliable accuracies. On
# request of a study: tests of normality, and of independence given the class.
rule diagnose:
    input:
        series=SERIES,
    output:
        **GROUPS["diagnostic"].files,
        **GROUPS["audit"].files,
        genes_text=text_of(DIAGNOSTIC.fill(table="genes")),
    log:
        log_of("diagnose"),
        usage=usage_of("diagnose"),
    conda:
        "../../envs/xnbflow.yaml"
    # a series of unknown shape requests one CPU: with both of two it would wait for the classifiers
    threads: lambda wildcards: cpus_for(sheet_mb(wildcards, samples=100), most=4, per_cpu=300)
    resources:
        mem_mb=memory(1300, per_mb=5),
        runtime=minutes(60, per_mb=1),
    params:
        tests=tests_of,
        sources=source_digests("diagnose.py"),
    message:
        "Testing the features and auditing the samples of {wildcards.dataset}"
    script:
        "../scripts/diagnose.py"
