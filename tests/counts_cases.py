"""Counts for tests: a formula that every machine computes, and simulated studies."""

import gzip

import numpy as np
import pandas as pd


def formula_counts(n_features=60, n_samples=8):
    """Return counts (n_features, n_samples) and classes; the first features are much higher in b.

    The second half of the samples has four times the reads, every fifth feature few reads.
    """
    i, j = np.indices((n_features, n_samples))
    level = 3.0 + 40 * (i % 7) ** 2 + 11 * i
    level[::5] /= 400
    noise = 1 + (0.05 + 0.09 * (i % 9)) * np.sin(2.3 * i * j + i + 0.7 * j**2)
    later = j >= n_samples // 2
    counts = np.floor(level * noise * np.where(later, 4, 1))
    counts[:6][later[:6]] *= 20
    return counts, np.repeat([0, 1], n_samples // 2)


def simulated_counts(seed, n_features=1500, n_samples=12):
    """Return negative binomial counts, classes, patients and ages; 60 features differ."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_samples) % 2
    patients = np.arange(n_samples) // 2
    ages = rng.normal(60, 9, n_samples).round()
    level = rng.gamma(0.6, 150.0, size=(n_features, 1)) + 0.3
    change = np.ones((n_features, n_samples))
    change[:60, codes == 1] = 8
    patient = rng.gamma(20, 1 / 20, size=(n_features, n_samples // 2))[:, patients]
    depth = rng.uniform(0.3, 2.0, n_samples)
    mean = level * change * patient * depth
    return rng.poisson(mean * rng.gamma(8, 1 / 8, mean.shape)).astype(float), codes, patients, ages


def pasilla(shared_data):
    """Return counts, treatment and library type of the Bioconductor package pasilla."""
    path = shared_data / "counts" / "pasilla_gene_counts.tsv.gz"
    with gzip.open(path, "rt") as file:
        table = pd.read_csv(file, sep="\t", index_col=0)
    sheet = pd.read_csv(path.with_name("pasilla_sample_annotation.csv"))
    sheet.index = sheet["file"].str.removesuffix("fb")
    sheet = sheet.loc[table.columns]
    codes = np.unique(sheet["condition"], return_inverse=True)[1]
    return table.to_numpy(float), codes, sheet["type"].to_numpy(dtype=str)
