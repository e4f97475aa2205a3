"""Print the digests of the code of a study with an analysis of the paper on CICA, as JSON."""

import json

from xnbflow.running.provenance import (
    computing_code,
    method_code,
    page_code,
    reading_code,
    section_code,
)

cica = ["xnbflow.papers.cica.compute"]
digests = {
    "reading": reading_code(),
    "computing": computing_code(),
    "page": page_code(),
    "cica": method_code(cica),
    "page of cica": section_code(cica),
    "sklearn": method_code(["sklearn.svm.LinearSVC"]),
}
print(json.dumps(digests))
