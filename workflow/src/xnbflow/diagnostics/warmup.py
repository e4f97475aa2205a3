"""Compile ahead: the diagnostics of a tiny series."""

from xnbflow.data.sources.tiny import tiny_series
from xnbflow.diagnostics.tables import diagnose

__all__ = ["compile_ahead"]


def compile_ahead(_: object = None) -> None:
    """Test a tiny series for normality and dependence."""
    diagnose(tiny_series(), min_abs_r=0.7, dependence_alpha=1e-6, dof="paper")
