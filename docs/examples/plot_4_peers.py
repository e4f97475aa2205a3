"""
ClassSpecificNBCV beside other classifiers
==========================================

Accuracy of each method less that of ``ClassSpecificNBCV``, means over 17 development series with
their standard errors. The numbers are those of the table that ``python -m benchmarks accuracy``
writes into the page of the method.
"""

import re
from pathlib import Path

import matplotlib.pyplot as plt

page = Path("../methods/class-specific.md").read_text(encoding="utf-8")
table = page.partition("| method | accuracy |")[2].partition("\n\n")[0]
methods, differences, errors = [], [], []
# A row: the method, its accuracy, how much less that is than in the first row (standard error), ...
row_pattern = r"^\| ([^|]+) \| \S+ \| (-?[\d.]+) \(([\d.]+)\)"
for method, less, error in re.findall(row_pattern, table, re.MULTILINE):
    methods.append(method)
    differences.append(-float(less))
    errors.append(float(error))

fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.errorbar(differences[1:], methods[1:], xerr=errors[1:], fmt="o")
ax.axvline(0, color="grey", linewidth=0.8)
ax.invert_yaxis()
ax.set_xlabel("difference of accuracy ± standard error")
plt.show()
