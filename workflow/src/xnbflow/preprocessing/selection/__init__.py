"""Selection of features: class-specific (XNB), mutual information, separation score."""
