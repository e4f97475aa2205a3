# The package's names for type checkers: at run time each is imported when it is asked for.
from xnbflow.diagnostics.correlation import normalised_residuals as normalised_residuals
from xnbflow.diagnostics.correlation import top_partners as top_partners
from xnbflow.diagnostics.dependence import ConditionalDependence as ConditionalDependence
from xnbflow.diagnostics.dependence import conditional_dependence as conditional_dependence
from xnbflow.diagnostics.false_discovery import benjamini_hochberg as benjamini_hochberg
from xnbflow.diagnostics.normality import shapiro_wilk as shapiro_wilk
from xnbflow.diagnostics.normality import shapiro_wilk_within as shapiro_wilk_within
