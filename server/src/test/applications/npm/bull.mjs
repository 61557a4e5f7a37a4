// bull end to end against the server on port argv[2]: prints what happened, the same on every server.
import Queue from 'bull';
import { port, say, sleep, until } from './tools/say.mjs';

const opened = [];
function queue(name, options = {}) {
  const made = new Queue(name, { redis: { host: '127.0.0.1', port }, ...options });
  opened.push(made);
  return made;
}

/** Results, progress, logs and events, in order. */
async function plain() {
  const jobs = queue('plain');
  const seen = [];
  const steps = [];
  jobs.on('global:completed', (id, result) => seen.push(Number(result)));
  jobs.on('global:progress', (id, step) => steps.push(step));
  await jobs.isReady();
  for (let i = 0; i < 30; i++) await jobs.add({ i }, { jobId: 'n' + i });
  await jobs.add({ i: 7 }, { jobId: 'n7' }); // a job that is there already
  say('waiting', await jobs.count());
  jobs.process(async (job) => {
    if (job.data.i === 3) await job.progress(42);
    await job.log('squaring ' + job.data.i);
    return job.data.i ** 2;
  });
  await until('all squared', () => seen.length === 30);
  say('squares', seen, 'steps', steps);
  const job = await jobs.getJob('n9');
  say('job', job.returnvalue, await job.getState(), (await jobs.getJobLogs('n9')).logs);
  say('cleaned', (await jobs.clean(0, 'completed')).length, await jobs.getJobCounts());
}

/** Named processors, retries, and a job that fails for good. */
async function failing() {
  const jobs = queue('failing');
  let tries = 0;
  jobs.process('third time', async () => {
    if (++tries < 3) throw new Error('try ' + tries);
    return tries;
  });
  jobs.process('never', async () => {
    throw new Error('no');
  });
  const good = await jobs.add('third time', {}, { attempts: 5, backoff: 20 });
  const bad = await jobs.add('never', {}, { attempts: 2, backoff: { type: 'exponential', delay: 10 } });
  say('third time', await good.finished());
  say('never', await bad.finished().catch((error) => error.message));
  const [failed] = await jobs.getFailed();
  say('failed', failed.name, failed.attemptsMade, await jobs.getJobCounts());
}

/** Delays, priorities, pause and resume. */
async function ordered() {
  const jobs = queue('ordered');
  const order = [];
  for (const delay of [900, 300, 600]) await jobs.add({ name: 'd' + delay }, { delay });
  const late = await jobs.add({ name: 'late' }, { delay: 3_600_000 });
  await jobs.pause();
  for (const priority of [3, 1, 2]) await jobs.add({ name: 'p' + priority }, { priority });
  say('paused', await jobs.isPaused(), await jobs.getJobCounts());
  jobs.process(async (job) => order.push(job.data.name));
  await sleep(100);
  say('while paused', order);
  await jobs.resume();
  await until('six', () => order.length === 6);
  await late.promote();
  await until('the late one', () => order.length === 7);
  say('order', order);
}

/** No more than so many in a time; the others wait as delayed ones. */
async function limited() {
  const jobs = queue('limited', { limiter: { max: 2, duration: 400 } });
  const at = [];
  for (let i = 0; i < 6; i++) await jobs.add({ i });
  jobs.process(async () => at.push(Date.now()));
  await until('six', () => at.length === 6);
  say('three windows', at[5] - at[0] >= 700);
}

/** Repeated jobs. */
async function repeated() {
  const jobs = queue('repeated');
  let runs = 0;
  jobs.process('tick', async () => runs++);
  await jobs.add('tick', {}, { repeat: { every: 100, limit: 4 } });
  await jobs.add('new year', {}, { repeat: { cron: '0 0 1 1 *', tz: 'UTC' } });
  say('repeatable', (await jobs.getRepeatableJobs()).map((each) => each.name).sort());
  await until('four', () => runs === 4);
  await jobs.removeRepeatable('new year', { cron: '0 0 1 1 *', tz: 'UTC' });
  const left = (await jobs.getRepeatableJobs()).map((each) => each.name);
  say('runs', runs, left.includes('new year'));
}

/** A job whose worker lost its lock is given to another. */
async function stalled() {
  const settings = { lockDuration: 200, lockRenewTime: 3_600_000, stalledInterval: 200 };
  const gone = queue('stalled', { settings });
  const jobs = queue('stalled', { settings: { stalledInterval: 200 } });
  gone.process(() => new Promise(() => {}));
  await jobs.add({});
  await until('taken', async () => (await jobs.getActiveCount()) === 1);
  let again = 0;
  jobs.process(async () => again++);
  await until('completed', async () => (await jobs.getCompletedCount()) === 1);
  say('again', again, await jobs.getJobCounts());
  await jobs.obliterate({ force: true });
  say('left', await jobs.getJobCounts());
}

for (const part of [plain, failing, ordered, limited, repeated, stalled]) {
  say('--', part.name);
  await part();
  // A worker that never ends is not waited for.
  await Promise.all(opened.splice(0).map((each) => each.close(true)));
}
say('done');
process.exit(0);
