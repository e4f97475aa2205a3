"""The data set in memory: features, samples, labels and matrices."""
