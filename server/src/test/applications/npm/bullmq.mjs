// BullMQ end to end against the server on port argv[2]: prints what happened, the same on every server.
import { FlowProducer, Queue, QueueEvents, Worker } from 'bullmq';
import IORedis from 'ioredis';
import { port, say, sleep, until } from './tools/say.mjs';

const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
const opened = [];
const open = (thing) => {
  opened.push(thing);
  return thing;
};
const queue = (name, options = {}) => open(new Queue(name, { connection, ...options }));
const worker = (name, processor, options = {}) => open(new Worker(name, processor, { connection, ...options }));

/** Jobs one after the other, results and events. */
async function plain() {
  const jobs = queue('plain');
  const events = open(new QueueEvents('plain', { connection }));
  await events.waitUntilReady();
  const seen = [];
  events.on('completed', ({ returnvalue }) => seen.push(returnvalue));
  for (let i = 0; i < 50; i++) await jobs.add('square', { i }, { jobId: 'n' + i });
  await jobs.add('square', { i: 7 }, { jobId: 'n7' }); // a job that is there already
  say('waiting', await jobs.getJobCounts('waiting', 'active', 'completed'));
  worker('plain', async (job) => {
    await job.updateProgress(50);
    await job.log('squaring ' + job.data.i);
    return job.data.i * job.data.i;
  });
  await until('all squared', () => seen.length === 50);
  say('squares', seen);
  say('log', await jobs.getJobLogs('n9'));
  const job = await jobs.getJob('n9');
  say('job', job.returnvalue, job.progress, await job.getState());
}

/** Retries with backoff, jobs that fail for good, retried by hand. */
async function failing() {
  const jobs = queue('failing');
  let tries = 0;
  let fails = true;
  worker('failing', async (job) => {
    if (job.name === 'third time' && ++tries < 3) throw new Error('try ' + tries);
    if (job.name === 'never' && fails) throw new Error('no');
    return tries;
  });
  await jobs.add('third time', {}, { attempts: 5, backoff: { type: 'exponential', delay: 20 } });
  await jobs.add('never', {}, { attempts: 2, backoff: 10 });
  await until('done', async () => (await jobs.getCompletedCount()) === 1 && (await jobs.getFailedCount()) === 1);
  const [failed] = await jobs.getFailed();
  say('failed', failed.failedReason, failed.attemptsMade, 'tries', tries);
  fails = false;
  await failed.retry();
  await until('retried', async () => (await jobs.getCompletedCount()) === 2);
  say('counts', await jobs.getJobCounts('completed', 'failed'));
}

/** Delayed jobs come in the order of their moments, and can be brought forward. */
async function delayed() {
  const jobs = queue('delayed');
  const order = [];
  for (const delay of [2000, 500, 1500, 1000]) await jobs.add('d' + delay, {}, { delay });
  const late = await jobs.add('late', {}, { delay: 3_600_000 });
  say('delayed', await jobs.getDelayedCount());
  worker('delayed', async (job) => order.push(job.name));
  await until('four', () => order.length === 4);
  await late.promote();
  await until('the late one', () => order.length === 5);
  say('order', order);
}

/** Priorities, pause and resume. */
async function priorities() {
  const jobs = queue('priorities');
  const order = [];
  await jobs.pause();
  for (const priority of [5, 1, 3, 1, 4, 2]) await jobs.add('p' + priority, {}, { priority });
  await jobs.add('p0', {});
  say('paused', await jobs.isPaused(), await jobs.getJobCounts('paused', 'prioritized'));
  worker('priorities', async (job) => order.push(job.name));
  await sleep(200);
  say('while paused', order);
  await jobs.resume();
  await until('seven', () => order.length === 7);
  say('order', order);
}

/** No more than so many in a time. */
async function limited() {
  const jobs = queue('limited');
  const at = [];
  for (let i = 0; i < 9; i++) await jobs.add('tick', { i });
  worker('limited', async () => at.push(Date.now()), { limiter: { max: 3, duration: 400 } });
  await until('nine', () => at.length === 9);
  say('three windows', at[8] - at[0] >= 700, at[2] - at[0] < 400);
}

/** Repeated jobs. */
async function repeated() {
  const jobs = queue('repeated');
  let runs = 0;
  await jobs.upsertJobScheduler('every', { every: 100, limit: 5 }, { name: 'tick', data: { a: 1 } });
  say('schedulers', (await jobs.getJobSchedulers()).map((s) => [s.key, s.every]));
  worker('repeated', async () => runs++);
  await until('five', () => runs >= 5);
  await jobs.upsertJobScheduler('cron', { pattern: '0 0 1 1 *' }, { name: 'new year' });
  say('removed', await jobs.removeJobScheduler('cron'), await jobs.removeJobScheduler('nosuch'));
  say('runs', runs);
}

/** A parent that waits for its children. */
async function flows() {
  const children = queue('children');
  const parents = queue('parents');
  const flow = open(new FlowProducer({ connection }));
  const tree = await flow.add({
    name: 'sum',
    queueName: 'parents',
    children: [1, 2, 3, 4].map((i) => ({ name: 'part', data: { i }, queueName: 'children' })),
  });
  say('parent', await tree.job.getState(), await children.getWaitingCount());
  worker('parents', async (job) => Object.values(await job.getChildrenValues()).reduce((a, b) => a + b, 0));
  worker('children', async (job) => job.data.i * 10, { concurrency: 2 });
  await until('summed', async () => (await parents.getCompletedCount()) === 1);
  const parent = await parents.getJob(tree.job.id);
  say('sum', parent.returnvalue, Object.keys(await parent.getDependencies()).sort());
  const broken = await flow.add({
    name: 'never',
    queueName: 'parents',
    children: [{ name: 'bad', data: {}, queueName: 'bad', opts: { failParentOnFailure: true } }],
  });
  worker('bad', async () => {
    throw new Error('no');
  });
  await until('failed', async () => (await broken.job.getState()) === 'failed');
  say('failed', (await parents.getJob(broken.job.id)).failedReason.replace(/[0-9a-f-]{36}/g, 'ID'));
}

/** One job for as long as an id is held; a limit that the worker sets. */
async function deduplicated() {
  const jobs = queue('deduplicated');
  const ids = [];
  for (let i = 0; i < 3; i++) {
    ids.push((await jobs.add('once', { i }, { deduplication: { id: 'same', ttl: 60_000 } })).id);
  }
  say('ids', ids, await jobs.getDeduplicationJobId('same'), await jobs.getWaitingCount());
  say('removed', await jobs.removeDeduplicationKey('same'), (await jobs.add('once', {}, {})).id);
  let waited = 0;
  const slow = worker('deduplicated', async () => {
    if (waited++ === 0) {
      await slow.rateLimit(300);
      throw Worker.RateLimitError();
    }
  }, { limiter: { max: 1, duration: 100 } });
  await until('both', async () => (await jobs.getCompletedCount()) === 2);
  say('runs', waited);
}

/** A worker that is gone: its job is given to another. */
async function stalled() {
  const jobs = queue('stalled');
  await jobs.add('long', {});
  const lost = new IORedis(connection);
  const gone = new Worker('stalled', () => new Promise(() => {}), {
    connection: lost,
    lockDuration: 300,
    skipStalledCheck: true,
    skipLockRenewal: true,
  });
  gone.on('error', () => {});
  await until('taken', async () => (await jobs.getActiveCount()) === 1);
  let again = 0;
  const second = worker('stalled', async () => ++again, { stalledInterval: 200, lockDuration: 300 });
  second.on('error', () => {});
  await until('given to another', () => again === 1);
  await until('completed', async () => (await jobs.getCompletedCount()) === 1);
  say('stalled', again, await jobs.getJobCounts('active', 'completed', 'failed'));
  await gone.close(true);
  lost.disconnect();
}

/** Many jobs at once, by many, then taken away. */
async function bulk() {
  const jobs = queue('bulk');
  await jobs.addBulk(Array.from({ length: 2000 }, (_, i) => ({ name: 'b', data: { i } })));
  let sum = 0;
  for (let i = 0; i < 4; i++) worker('bulk', async (job) => void (sum += job.data.i), { concurrency: 25 });
  await until('all', async () => (await jobs.getCompletedCount()) === 2000);
  say('sum', sum);
  say('cleaned', (await jobs.clean(0, 500, 'completed')).length, await jobs.getCompletedCount());
  await jobs.drain();
  await jobs.obliterate({ force: true });
  say('left', await jobs.getJobCounts('completed', 'waiting', 'failed'));
}

const parts = { plain, failing, delayed, priorities, limited, repeated, flows, deduplicated, stalled, bulk };
for (const [name, part] of Object.entries(parts)) {
  say('--', name);
  await part();
  await Promise.all(opened.splice(0).map((thing) => thing.close()));
}
const client = new IORedis(connection);
await client.flushall();
client.disconnect();
say('done');
