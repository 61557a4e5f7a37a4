"""RQ on port argv[1]: prints what happened, the same on every server.

With a second argument it is a worker that schedules and goes on until it is told to stop.
"""

from datetime import datetime, timedelta, timezone
import logging
import os
import subprocess
import sys

from redis import Redis
from rq import Queue, Retry, Worker, cancel_job, requeue_job
from rq.command import send_shutdown_command, send_stop_job_command
from rq.job import Job
from rq.worker import WorkerStatus

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools"))
from jobs import fail, fail_until, nap, note, noted_failure, noted_success, square
from say import say, until

PORT = int(sys.argv[1])
logging.disable(logging.CRITICAL)
client = Redis(port=PORT)


def work(*queues, **options):
    return Worker(list(queues), connection=client).work(burst=True, logging_level="CRITICAL", **options)


def results():
    queue = Queue(connection=client)
    jobs = [queue.enqueue(square, i, result_ttl=500, job_id=f"square-{i}") for i in range(5)]
    say("queued", len(queue), queue.job_ids, jobs[2].get_status(), queue.get_job_position("square-2"))
    work(queue)
    say("squares", [job.result for job in jobs], len(queue.finished_job_registry))
    say("job", jobs[3].get_status(refresh=True), 490 < client.ttl("rq:job:square-3") <= 500)
    queue.enqueue(note, "at the end")
    queue.enqueue(note, "at the front", at_front=True)
    work(queue)
    say("notes", client.lrange("notes", 0, -1))


def failures():
    queue = Queue("failing", connection=client)
    job = queue.enqueue(fail, on_failure=noted_failure)
    work(queue)
    say("failed", job.get_status(), queue.failed_job_registry.get_job_ids() == [job.id], "ValueError: no" in job.exc_info)
    requeue_job(job.id, connection=client)
    say("again", queue.job_ids == [job.id], len(queue.failed_job_registry))
    work(queue)
    patient = queue.enqueue(fail_until, 3, retry=Retry(max=5), on_success=noted_success)
    work(queue)
    say("patient", patient.result, patient.get_status(), client.lrange("notes", 2, -1))
    gone = queue.enqueue(square, 1)
    cancel_job(gone.id, connection=client)
    say("cancelled", gone.get_status(), gone.id in queue.canceled_job_registry, work(queue))
    gone.delete()
    say("deleted", Job.exists(gone.id, connection=client))


def dependencies():
    low = Queue("low", connection=client)
    high = Queue("high", connection=client)
    first = low.enqueue(note, "first")
    second = high.enqueue(note, "second", depends_on=first)
    third = high.enqueue(note, "third", depends_on=[first, second])
    say("deferred", second.get_status(), len(high.deferred_job_registry))
    work(high, low)
    say("notes", client.lrange("notes", -3, -1), third.get_status())
    many = low.enqueue_many([Queue.prepare_data(square, (i,)) for i in range(40)])
    high.enqueue(note, "high goes first")
    work(high, low, max_jobs=1)
    say("left", len(high), len(low))
    low.empty()
    say("emptied", len(low), many[0].get_status(refresh=False))


def moments():
    queue = Queue("scheduled", connection=client)
    late = queue.enqueue_in(timedelta(seconds=3600), note, "late")
    queue.enqueue_at(datetime.now(timezone.utc) + timedelta(seconds=1), note, "scheduled")
    say("scheduled", queue.scheduled_job_registry.count, late.get_status())
    worker = subprocess.Popen([sys.executable, "-P", __file__, str(PORT), "worker"])
    try:
        until("noted", lambda: client.lrange("notes", -1, -1) == [b"scheduled"])
        say("left", queue.scheduled_job_registry.count)
        sleeper = queue.enqueue(nap)
        until("asleep", lambda: sleeper.get_status() == "started")
        until("working", lambda: [each.get_state() for each in Worker.all(client)] == [WorkerStatus.BUSY])
        send_stop_job_command(client, sleeper.id)
        until("stopped", lambda: sleeper.get_status() == "stopped")
        say("stopped", sleeper.id in queue.failed_job_registry)
        send_shutdown_command(client, Worker.all(client)[0].name)
        say("ended", worker.wait(20), Worker.count(client))
    finally:
        worker.kill()


if len(sys.argv) > 2:
    Worker(["scheduled"], connection=client).work(with_scheduler=True, logging_level="CRITICAL")
    os._exit(0)
client.flushall()
for part in (results, failures, dependencies, moments):
    say("--", part.__name__)
    part()
client.flushall()
say("done")
