"""Context: comparison of the selected features with random ones."""

from xnbflow.report.page.blocks import Section
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("context")


def section(results: StudyResults) -> Section | None:
    """Return the comparison with random genes; None where it was not made."""
    tables = results.tables
    if tables["random_genes"].empty:
        return None
    columns = ["dataset", "classifier", "signature_size", "selected_score", "random_mean"]
    columns += ["random_95", "as_good_random", "signatures", "random_p"]
    table = tables.show("random_genes", results.with_noun(_TEXTS["random"]), columns)
    lead = results.with_noun("Accuracy of random {noun}s.")
    return Section("context", results.with_noun("Random {noun}s"), lead, [table])
