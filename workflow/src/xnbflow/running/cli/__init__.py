"""The command line ``xnbflow``.

================ ================================================================
app              Which commands are there, and how does a command end?
options          Which options do several commands have?
model_commands   Which options have the commands about models, and what do they print?
study_commands   Which options have the commands about finished studies?
propose_command  Which options has the proposal of a study?
run_command      How does a study run through Snakemake?
terminal         How are results, warnings and progress printed?
commands         How is a table read, a model fitted or applied?
model_texts      How is a model described, for programs and for people?
finished_studies What is written of a finished study: figures, workbook?
proposals        Which study is proposed for a table or a GEO series?
cumida_study     Which study is written for series of CuMiDa?
output_files     Which files may a command replace, and how is a text written?
================ ================================================================
"""

import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command `xnbflow`; exit with 0, with 1 where input is at fault, with 2 on misuse."""
    # an import of the package itself imports nothing else
    from xnbflow.running.cli.app import run  # noqa: PLC0415

    # A model can be of a class in a module of the user. It replaces no installed module.
    sys.path.append(str(Path.cwd()))
    run()
