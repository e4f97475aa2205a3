"""A module whose function, class and instance create the file ``tripped`` beside it when used."""

from pathlib import Path

TRIPPED = Path(__file__).with_name("tripped")


def call(*args, **kwargs):
    """Record the call."""
    TRIPPED.touch()
    return call


class Kind:
    """Records that it is instantiated, restored from a state, or called."""

    def __new__(cls, *args, **kwargs):
        call()
        return object.__new__(cls)

    def __setstate__(self, state):
        call()

    def __call__(self, *args):
        call()


instance = object.__new__(Kind)
