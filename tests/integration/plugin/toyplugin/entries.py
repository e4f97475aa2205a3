"""What the entry points of the plugin name."""

from xnbflow.core.entries import Analysis, Method, Source, whole

NEAREST = Method(
    name="nearest_mean",
    estimator="toyplugin.nearest.NearestMean",
    title="nearest mean",
    source="nobody (2024)",
    parameters={"power": whole(1, 9)},
)
STEP = {"pattern": "^[0-9]+$", "description": "a whole number"}
LINES = Source(name="lines", module="toyplugin.lines", options={"step": STEP})
COUNT = Analysis(
    name="count",
    compute="toyplugin.count",
    section="toyplugin.section",
    parameters={"most": whole(1)},
)
