"""Use the processor for as many seconds as the argument says."""

import sys
import time


def use_processor(seconds):
    """Compute until this process has used ``seconds`` more of processor time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


if __name__ == "__main__":
    use_processor(float(sys.argv[1]))
