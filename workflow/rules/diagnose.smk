# Diagnose: are the features normal, and independent given the class (Table 1 of the XNB paper)? Which of
# them differ between the classes?
rule diagnose:
    input:
        series=SERIES,
    output:
        **{table: DIAGNOSTIC.fill(table=table) for table in DIAGNOSTIC_TABLES},
        genes_text=text_of(DIAGNOSTIC.fill(table="genes")),
    log:
        log_of("diagnose"),
    benchmark:
        benchmark_of("diagnose")
    conda:
        "../../envs/xnbflow.yaml"
    threads: lambda wildcards: NEEDS["diagnose"].threads(sheet_mb(wildcards))
    resources:
        mem_mb=memory_of("diagnose"),
        runtime=minutes_of("diagnose"),
    params:
        settings={key: CONFIG.diagnostics[key] for key in ("min_abs_r", "dependence_alpha", "dof")},
        sources=source_digests("diagnose"),
    message:
        "Testing the features of {wildcards.dataset}"
    script:
        "../scripts/diagnose.py"


# Audit: what makes an accuracy unreliable, before there is any: confounders, labels, outliers, scale.
rule audit:
    input:
        series=SERIES,
    output:
        **{table: DIAGNOSTIC.fill(table=table) for table in AUDIT_TABLES},
    log:
        log_of("audit"),
    benchmark:
        benchmark_of("audit")
    conda:
        "../../envs/xnbflow.yaml"
    resources:
        mem_mb=memory_of("audit"),
        runtime=minutes_of("audit"),
    params:
        sources=source_digests("audit"),
    message:
        "Auditing {wildcards.dataset}"
    script:
        "../scripts/audit.py"
