"""Celery with its broker and its results on port argv[1]: prints what happened, the same on every server.

With a second argument it is the worker.
"""

import os
import subprocess
import sys
import time

from celery import Celery, chain, chord, group
from celery.exceptions import TaskRevokedError, TimeoutError as ResultTimeout
import redis

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools"))
from say import say, until

PORT = int(sys.argv[1])
URL = f"redis://127.0.0.1:{PORT}/"
app = Celery("varve", broker=URL + "0", backend=URL + "1")
app.conf.update(
    broker_transport_options={"visibility_timeout": 2, "queue_order_strategy": "priority"},
    worker_prefetch_multiplier=1,
    result_expires=600,
    task_default_queue="varve",
    task_track_started=True,
    timezone="UTC",
)
client = redis.Redis(port=PORT, db=2, decode_responses=True)


@app.task(name="add")
def add(x, y):
    return x + y


@app.task(name="total")
def total(numbers):
    return sum(numbers)


@app.task(name="fail")
def fail():
    raise ValueError("no")


@app.task(name="third", bind=True, max_retries=5)
def third(self):
    if self.request.retries < 2:
        raise self.retry(countdown=0.05)
    return self.request.retries


@app.task(name="note")
def note(text):
    return client.rpush("notes", text)


@app.task(name="steps", bind=True)
def steps(self):
    self.update_state(state="HALF", meta={"done": 50})
    client.blpop("go on", timeout=20)
    return "all"


@app.task(name="lost", acks_late=True, reject_on_worker_lost=True)
def lost():
    """Dies with its process the first time."""
    if client.incr("lost") == 1:
        os._exit(1)
    return "found"


@app.task(name="late", acks_late=True)
def late():
    """Is acknowledged only when it is done: a message waits among the unacknowledged meanwhile."""
    return redis.Redis(port=PORT).hlen("unacked")


def results():
    say("add", add.delay(2, 3).get(timeout=20))
    result = add.apply_async((4, 5), task_id="known")
    say("known", result.get(timeout=20), app.AsyncResult("known").state)
    broken = fail.delay()
    try:
        broken.get(timeout=20)
    except ValueError as error:
        say("failed", error, broken.state, "ValueError" in broken.traceback)
    say("retried", third.delay().get(timeout=20))
    say("forgotten", add.AsyncResult("known").forget(), app.AsyncResult("known").state)
    say("ignored", add.apply_async((1, 1), ignore_result=True).id is not None)
    stepping = steps.delay()
    until("half", lambda: stepping.state == "HALF")
    say("progress", stepping.info)
    client.rpush("go on", 1)
    say("steps", stepping.get(timeout=20))


def canvas():
    say("chain", chain(add.s(1, 2), add.s(10), add.s(100)).delay().get(timeout=20))
    say("group", group(add.s(i, i) for i in range(8)).delay().get(timeout=20))
    say("chord", chord((add.s(i, i) for i in range(8)), total.s()).delay().get(timeout=20))
    nested = chain(add.s(1, 1), group(add.s(10), add.s(20)), total.s())
    say("nested", nested.delay().get(timeout=20))
    say("map", add.starmap([(1, 2), (3, 4)]).delay().get(timeout=20), add.chunks([(i, 1) for i in range(4)], 2).delay().get(timeout=20))
    failing = chord([add.s(1, 1), fail.s()], total.s()).delay()
    try:
        failing.get(timeout=20)
    except Exception as error:
        say("failing chord", type(error).__name__)


def moments():
    started = time.monotonic()
    results = [note.apply_async((f"in {delay}",), countdown=delay) for delay in (1.2, 0.6, 0)]
    for result in results:
        result.get(timeout=20)
    say("notes", client.lrange("notes", 0, -1), time.monotonic() - started >= 1.1)
    expired = add.apply_async((1, 1), countdown=0.5, expires=0.1)
    try:
        expired.get(timeout=20)
    except TaskRevokedError as error:
        say("expired", error)
    waiting = add.apply_async((1, 1), countdown=1.5)
    try:
        waiting.get(timeout=0.1)
    except ResultTimeout:
        say("nothing yet", waiting.state)
    waiting.revoke()
    try:
        waiting.get(timeout=20)
    except TaskRevokedError as error:
        say("taken back", error, waiting.state)


def control():
    def ask(what):
        answer = []
        until(what, lambda: answer or answer.extend((getattr(app.control.inspect(timeout=0.4), what)() or {}).values()))
        return answer[0]

    say("ping", ask("ping"))
    say("registered", sorted(ask("registered")))
    say("queues", [queue["name"] for queue in ask("active_queues")])


def deliveries():
    say("unacknowledged", late.delay().get(timeout=20))
    say("lost", lost.delay().get(timeout=20), client.get("lost"))
    ordered = [add.apply_async((i, 0), priority=9 - i) for i in range(5)]
    say("priorities", [result.get(timeout=20) for result in ordered])
    many = group(add.s(i, 1) for i in range(200)).delay()
    say("many", sum(many.get(timeout=30)))


if len(sys.argv) > 2:
    app.worker_main(["worker", "--loglevel=ERROR", "--concurrency=2", "--without-gossip", "-n", "varve@here"])
    sys.exit(0)
client.flushall()
note.delay("before there was a worker").forget()
until("queued", lambda: redis.Redis(port=PORT).llen("varve") == 1)
say("waiting", redis.Redis(port=PORT).llen("varve"))
worker = subprocess.Popen(
    [sys.executable, "-P", __file__, str(PORT), "worker"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
)
try:
    until("noted", lambda: client.llen("notes") == 1)
    for part in (results, canvas, moments, control, deliveries):
        say("--", part.__name__)
        part()
finally:
    worker.terminate()
    worker.wait(20)
late.delay()
say("purged", app.control.purge())
client.flushall()
say("done")
