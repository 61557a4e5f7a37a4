"""What the workers of rq.py do: RQ takes no functions of the main module."""

import time

from rq import get_current_connection


def square(n):
    return n * n


def fail_until(times):
    if get_current_connection().incr("tries") < times:
        raise ValueError("no")
    return "at last"


def fail():
    raise ValueError("no")


def nap():
    time.sleep(60)


def note(text):
    return get_current_connection().rpush("notes", text)


def noted_success(job, connection, result):
    connection.rpush("notes", f"success {result}")


def noted_failure(job, connection, kind, value, trace):
    connection.rpush("notes", f"failure {value}")
