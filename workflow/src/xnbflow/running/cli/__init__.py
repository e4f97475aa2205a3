"""The command line: fit, show, signature, predict, explain, geo and run."""

__all__ = ["main"]


def main() -> None:
    """Run the command `xnbflow`; exit with 0, with 1 where input is at fault, with 2 on misuse."""
    # nothing is imported to import a package
    from xnbflow.core.deferred import defer_import  # noqa: PLC0415
    from xnbflow.running.cli.app import run  # noqa: PLC0415

    defer_import("scipy.stats")  # imported by scikit-learn; half a second, and few commands use it
    run()
