"""The limits of a download where the configuration has none."""

from xnbflow.sources.places.retries import RetryPolicy


def test_the_limits_are_those_of_the_documentation():
    """config/README.md has them under download, as far as a user can set them."""
    assert RetryPolicy() == RetryPolicy(
        timeout=30.0,
        retries=4,
        backoff=1.0,
        deadline=4 * 60 * 60.0,
        most_gigabytes=20.0,
    )
