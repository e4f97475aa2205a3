"""Which tests run: those of minutes only where the option ``-m`` of pytest names their marker."""

#: An option ``-m "not slow"`` would replace one in pyproject.toml that leaves these out.
ONLY_BY_NAME = ("core", "nightly")


def is_asked(item, expression):
    """Return whether a test has no marker of minutes that the expression of ``-m`` lacks."""
    markers = [name for name in ONLY_BY_NAME if item.get_closest_marker(name)]
    return all(name in expression for name in markers)
