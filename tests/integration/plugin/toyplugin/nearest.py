"""A classifier with a parameter of its own."""

from sklearn.neighbors import NearestCentroid


class NearestMean(NearestCentroid):
    """The class with the nearest mean; ``power`` has no effect."""

    def __init__(self, *, power=2):
        super().__init__()
        self.power = power
