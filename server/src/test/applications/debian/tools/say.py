"""What every application here says and waits for."""

import time


def say(*words):
    print(*words, flush=True)


def until(what, condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("never " + what)
