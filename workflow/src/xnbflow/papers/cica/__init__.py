"""Conditionally independent components: estimators, study and section (Akaho 2001).

| module | content |
|---|---|
| `transformer` | `CICA`: starts, choice of the width, dimension reduction (sections 3 and 5) |
| `natural_gradient` | the objective (Eq. 7) and a descent (Eq. 8) |
| `cost`, `averages` | the cost (Eqs. 5 to 7) and the averages of Eq. 8 as the paper prints them |
| `joint` | joint densities of components and target, and their scores (Eqs. 9 to 11) |
| `regression`, `joint_tables` | `KernelNBRegressor` (Eq. 1), and the tables that make it fast |
| `simulation`, `simulated_tables` | data of section 6, Eq. 12, and the tables over seeds |
| `compute`, `real_target` | the study: the simulations, classification, a real target |
| `section` | the study's section of the report |

The names below are those of tables and figures.
"""

UNTRANSFORMED = "no transformation"
TRUE_SOURCES = "true sources"
WHITENING = "whitening"
SYMMETRIC = "symmetric whitening"
FAST_ICA = "FastICA"
PAPERS_WIDTH = "CICA, paper's width"
CHOSEN_WIDTH = "CICA, chosen width"
#: In the order in which they are shown.
COMPARED_METHODS = (
    UNTRANSFORMED,
    WHITENING,
    SYMMETRIC,
    FAST_ICA,
    PAPERS_WIDTH,
    CHOSEN_WIDTH,
    TRUE_SOURCES,
)

RECOVERY_ERROR = "recovery error"
SQUARE_ERROR = "mean square error"
#: The setting of the paper's section 6.
AS_PAPER = "as in the paper"
#: The columns of a setting.
SETTING = ["setting", "samples"]
