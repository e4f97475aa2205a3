"""Hand over a job as its Python starts; any other Python goes on as if this were not here.

Every Python comes by that is started in a run with a server, even one of a user's shell command: no
version may stumble over this file, and the ``sitecustomize`` that it would have had is run in turn.
"""

import os
import sys

ours = sys.modules.pop(__name__)  # kept: Python 2 would forget all names with it
here = os.path.dirname(os.path.abspath(__file__))
library = os.path.join(os.path.dirname(here), "src")
sys.path[:] = [each for each in sys.path if each != here]
if "PYTHONPATH" in os.environ:
    paths = os.environ["PYTHONPATH"].split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join([each for each in paths if each != here])


def hand_over_job():  # noqa: ANN201  no annotations in Python 2
    """Let the library look whether this is a job, if it is the one that a job would import."""
    script = getattr(sys, "orig_argv", [])[1:]
    if len(script) == 1 and os.environ.get("XNBFLOW_FORKSERVER") and library in sys.path[:1]:
        from xnbflow.handover import hand_over  # noqa: PLC0415

        hand_over(script[0])


try:
    __import__(__name__)  # the next one on the path
except ImportError as error:
    if getattr(error, "name", None) == __name__:  # there is none
        hand_over_job()
    raise  # as if it were raised in the place of this one
hand_over_job()
