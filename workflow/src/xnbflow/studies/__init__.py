"""The tables of a study, computed in the stage *compare*.

- `study_tables`: all tables, from the files of data sets and classifiers.
- `fold_scores`, `comparison`, `study_overview`, `probability_tables`, `sample_errors`: results.
- `concordances`, `phenotype_checks`, `artefacts`: other explanations of a result.
- `gene_set_tests`, `enrichment`, `prerank`: gene sets; the first decides.
- `selected_features`, `description`, `densities`: single features and samples.
"""
