"""Separation scores of blocks of features: simulations, fits on microarrays, and their section."""
