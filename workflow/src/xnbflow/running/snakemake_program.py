"""Snakemake's command line for `xnbflow run`: an interruption is one sentence.

Snakemake handles Ctrl-C while jobs run. Before, while it is imported and plans, a traceback of
Python would be printed: ``python -m xnbflow.running.snakemake_program demo --cores 2``.
"""

import sys


def main() -> None:
    """Run Snakemake with the arguments of this process."""
    sys.argv[0] = "snakemake"
    try:
        from snakemake.cli import main as run_snakemake  # noqa: PLC0415  takes a second

        run_snakemake()
    except KeyboardInterrupt:
        sys.exit("Interrupted before a job began. Run the same command to continue")


if __name__ == "__main__":
    main()
