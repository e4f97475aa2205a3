"""Single cells: comparison of methods that find markers, by one common classifier.

| module | content |
|---|---|
| `markers` | the methods: which genes mark a type? |
| `compute` | folds, the common classifier, and the tables |
| `section` | the study's section of the report |
| `ranked_genes` | a classifier's genes in scanpy's format (not used by the study) |
"""

WILCOXON = "Wilcoxon"
NS_FOREST = "NS-Forest"
ALL_GENES = "all genes"
