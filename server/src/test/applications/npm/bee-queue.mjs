// bee-queue end to end against the server on port argv[2]: prints what happened, the same on every server.
import Queue from 'bee-queue';
import { port, say, until } from './tools/say.mjs';

const opened = [];
function queue(name, options = {}) {
  const made = new Queue(name, { redis: { host: '127.0.0.1', port }, ...options });
  opened.push(made);
  return made;
}

/** Results and progress reach the one who asked. */
async function plain() {
  const jobs = queue('plain');
  const seen = [];
  jobs.process(2, async (job) => {
    job.reportProgress({ half: job.data.i });
    return job.data.i * 2;
  });
  for (let i = 0; i < 20; i++) {
    const job = jobs.createJob({ i });
    job.on('succeeded', (result) => seen.push(result));
    job.on('progress', (step) => i === 5 && say('progress', step));
    await job.save();
  }
  await until('all', () => seen.length === 20);
  say('doubled', seen.sort((a, b) => a - b), await jobs.checkHealth());
  const twice = await jobs.createJob({ i: 1 }).setId('once').save();
  const again = await jobs.createJob({ i: 1 }).setId('once').save();
  say('ids', twice.id, again.id);
}

/** Retries with backoff, timeouts, and a job that fails for good. */
async function failing() {
  const jobs = queue('failing', { activateDelayedJobs: true, removeOnSuccess: true });
  const events = [];
  let tries = 0;
  jobs.on('job retrying', (id, error) => events.push('retrying ' + error.message));
  jobs.on('job failed', (id, error) => events.push('failed ' + error.message));
  jobs.on('job succeeded', (id, result) => events.push('succeeded ' + result));
  jobs.process(async (job) => {
    if (job.data.slow) await new Promise(() => {});
    if (job.data.never || ++tries < 3) throw new Error('try ' + tries);
    return tries;
  });
  await jobs.ready();
  await jobs.createJob({}).retries(3).backoff('fixed', 50).save();
  await until('third time', () => events.length === 3);
  await jobs.createJob({ never: true }).save();
  await until('never', () => events.length === 4);
  await jobs.createJob({ slow: true }).timeout(50).save();
  await until('slow', () => events.length === 5);
  say('events', events);
  say('failed', (await jobs.getJobs('failed', { size: 10 })).length);
}

/** Delayed jobs come in the order of their moments. */
async function delayed() {
  const jobs = queue('delayed', { activateDelayedJobs: true });
  const order = [];
  for (const delay of [700, 200, 450]) await jobs.createJob({ delay }).delayUntil(Date.now() + delay).save();
  const health = await jobs.checkHealth();
  say('delayed', health.delayed);
  jobs.process(async (job) => order.push(job.data.delay));
  await until('three', () => order.length === 3);
  say('order', order);
}

/** A job whose worker no longer reports is given to another. */
async function stalled() {
  const gone = queue('stalled', { stallInterval: 100 });
  gone.process(() => new Promise(() => {}));
  await gone.createJob({ v: 1 }).save();
  const jobs = queue('stalled', { stallInterval: 100 });
  await until('taken', async () => (await jobs.checkHealth()).active === 1);
  await gone.close(1).catch(() => {});
  const seen = [];
  jobs.on('stalled', () => seen.push('stalled'));
  jobs.process(async (job) => seen.push(job.data.v));
  await jobs.checkStalledJobs(100);
  await until('again', () => seen.includes(1));
  say('stalled', seen);
  const all = queue('bulk');
  const saved = await all.saveAll(Array.from({ length: 500 }, (_, i) => all.createJob({ i })));
  let sum = 0;
  all.process(50, async (job) => void (sum += job.data.i));
  await until('bulk', async () => (await all.checkHealth()).succeeded === 500);
  say('bulk', saved.size, sum);
  await all.destroy();
  say('left', await all.checkHealth());
}

for (const part of [plain, failing, delayed, stalled]) {
  say('--', part.name);
  await part();
  await Promise.all(opened.splice(0).map((each) => each.close(1).catch(() => {})));
}
say('done');
process.exit(0);
