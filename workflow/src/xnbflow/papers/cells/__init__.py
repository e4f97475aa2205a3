"""Single cells: comparison of methods that find markers, by one common classifier."""

CSNB = "ClassSpecificNB"
XNB_PUBLISHED = "XNB"
WILCOXON = "Wilcoxon"
SCANPY = "Wilcoxon by scanpy"
NS_FOREST = "NS-Forest"
ALL_GENES = "all genes"
