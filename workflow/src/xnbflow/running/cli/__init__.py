"""The command line ``xnbflow``.

================ ================================================================
app              Which commands and options are there, and what do they print?
commands         How is a table read, a model fitted, applied or recalibrated?
model_texts      How is a model described: for programs, people, as a score sheet?
finished_studies What is written of a finished study: figures, workbook, paper?
proposals        Which study is proposed for a table or a GEO series?
cumida_study     Which study is written for series of CuMiDa?
output           Where does the text of a command go?
================ ================================================================
"""

__all__ = ["main"]


def main() -> None:
    """Run the command `xnbflow`; exit with 0, with 1 where input is at fault, with 2 on misuse."""
    # an import of the package itself imports nothing else
    from xnbflow.core.deferred import defer_import  # noqa: PLC0415
    from xnbflow.running.cli.app import run  # noqa: PLC0415

    defer_import("scipy.stats")  # imported by scikit-learn; half a second, and few commands use it
    run()
