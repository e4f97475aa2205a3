"""Selection by separation score: where it helps, where it harms (Pavlenko and von Rosen)."""

from xnbflow.report.page.blocks import Section
from xnbflow.report.results import StudyResults
from xnbflow.studies.separation import ANALYSIS
from xnbflow.studies.separation.section_fits import fit_groups
from xnbflow.studies.separation.section_gains import gain_blocks
from xnbflow.studies.separation.section_theory import theory_groups

__all__ = ["section"]


def section(results: StudyResults) -> Section | None:
    """Return what selection by separation score gains; None where there is no risk to reduce.

    Parameters
    ----------
    results : StudyResults
        Has the tables of the analysis `xnbflow.studies.separation.compute`.
    """
    tables = results.analysis(ANALYSIS)
    if tables["risk"].empty:
        return None
    blocks = [
        *gain_blocks(tables),
        *theory_groups(tables),
        *fit_groups(tables),
    ]
    return Section(
        "separation",
        "Selection by separation score",
        "Whether a classifier made of blocks of features errs less when blocks that separate the "
        "classes little are dropped, or weighted down: gains above 0 help, below 0 harm.",
        blocks,
    )
