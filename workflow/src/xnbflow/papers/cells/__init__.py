"""Single cells: comparison of methods that find markers, by one common classifier."""

CSNB = "ClassSpecificNB"
XNB_PUBLISHED = "XNB"
WILCOXON = "Wilcoxon"
NS_FOREST = "NS-Forest"
ALL_GENES = "all genes"
