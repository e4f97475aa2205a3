"""Single cells: which method finds markers with which a common classifier recognises the types."""

CSNB = "ClassSpecificNB"
XNB_PUBLISHED = "XNB"
WILCOXON = "Wilcoxon"
SCANPY = "Wilcoxon by scanpy"
NS_FOREST = "NS-Forest"
ALL_GENES = "all genes"
