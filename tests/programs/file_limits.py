"""Simulate a full disk: files of this process cannot grow beyond a size."""

import resource

# An import may write bytecode, so it precedes the limit.
import xnbflow.running.job_process  # noqa: F401


def limit_files(n_bytes):
    """Let every later write beyond the first ``n_bytes`` of a file fail."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
