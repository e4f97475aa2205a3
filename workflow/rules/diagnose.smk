# Diagnose: are the features normal, and independent given the class? (Table 1 of the XNB paper.)


rule diagnose:
    input:
        series=SERIES,
        compiled=COMPILED.of(unit="diagnostics"),
    output:
        **{table: DIAGNOSTIC.fill(table=table) for table in DIAGNOSTIC_TABLES},
        record=benchmark_of("diagnose"),
    log:
        log_of("diagnose"),
    conda:
        "../../envs/xnbflow.yaml"
    threads: cpus_of("diagnose", sheet_mb)
    resources:
        mem_mb=memory_of("diagnose"),
        runtime=minutes_of("diagnose"),
    params:
        settings={key: CONFIG.diagnostics[key] for key in ("min_abs_r", "dependence_alpha", "dof")},
        sources=sources("diagnose.py"),
    script:
        "../scripts/diagnose.py"
