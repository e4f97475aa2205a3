"""Retries of downloads, and their failures."""

from dataclasses import dataclass


class DownloadFailedError(Exception):
    """A download failed; the message has the reason.

    As in `InputError`, ``key`` is the key of the data set that answers it.
    """

    def __init__(self, message: str, *, key: str | None = None) -> None:
        super().__init__(message)
        self.key = key


class NotThereError(DownloadFailedError):
    """A place does not have the file under this name: 404 and the like."""


class UnresolvedError(DownloadFailedError):
    """The name of a host does not resolve, as on a machine without a network."""


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of the time and the size of a file.

    Attributes
    ----------
    timeout : float
        Seconds without an answer after which an attempt counts as failed.
    retries : int
        Number of retries after a temporary failure: no connection, no answer, a body that ends
        early, a server's error. Others, as 404 or a name that does not resolve, are final.
    backoff : float
        Seconds between the retries. Each further retry waits twice as long.
    deadline : float
        Seconds for one file from one place, all attempts together.
    most_gigabytes : float
        Size of one file, stated by the server or received, above which it is refused.
    """

    timeout: float = 30.0
    retries: int = 4
    backoff: float = 1.0
    deadline: float = 14_400.0
    most_gigabytes: float = 20.0
