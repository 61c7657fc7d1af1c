"""Progress lines, waiting with a deadline, and the one kind of failure that a user sees."""

import time

_started = time.monotonic()


class ClusterError(Exception):
    """What went wrong, where, and what to do instead; printed without a stack trace."""


def say(text):
    print(f"[cluster {time.monotonic() - _started:4.0f}s] {text}", flush=True)


def wait_until(is_true, seconds, what):
    """Polls is_true() until it holds; after the deadline raises ClusterError naming `what`."""
    deadline = time.monotonic() + seconds
    pause = 0.05
    while not is_true():
        if time.monotonic() > deadline:
            raise ClusterError(f"{what} did not happen within {seconds} s")
        time.sleep(pause)
        pause = min(2 * pause, 0.4)
