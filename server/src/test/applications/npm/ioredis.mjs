// ioredis end to end against the server on port argv[2], with RESP3 and RESP2: prints what happened.
import Redis from 'ioredis';
import { port, refused, say, until } from './tools/say.mjs';

async function commands(redis) {
  say('set', await redis.set('k', 'v', 'EX', 100, 'NX'), await redis.set('k', 'w', 'NX'), await redis.ttl('k'));
  await redis.hset('h', { a: 1, b: 'two' });
  say('hash', await redis.hgetall('h'), await redis.hmget('h', 'a', 'none'), await redis.hincrbyfloat('h', 'a', 0.5));
  await redis.zadd('z', 1, 'one', 2.5, 'two', '-inf', 'least');
  say('scores', await redis.zrange('z', 0, -1, 'WITHSCORES'), await redis.zscore('z', 'two'));
  say('bytes', (await redis.getBuffer('k')).length, await redis.setbit('bits', 7, 1), await redis.getBuffer('bits'));
  say('error', await refused(() => redis.lpush('k', 1)), '|', await refused(() => redis.call('NOSUCH', 'a')));
  say('geo', await redis.geoadd('g', 13.361389, 38.115556, 'Palermo', 15.087269, 37.502669, 'Catania'));
  say('distance', await redis.geodist('g', 'Palermo', 'Catania', 'km'));
}

async function pipelines(redis) {
  const pipeline = redis.pipeline();
  for (let i = 0; i < 500; i++) pipeline.incr('n');
  pipeline.lpush('n', 1).get('n');
  const answers = await pipeline.exec();
  say('pipeline', answers.length, answers[500][0].message, answers[501]);
  const done = await redis.multi().set('t', 1).incr('t').lpush('t', 'x').get('t').exec();
  say('transaction', done.map(([error, answer]) => (error ? error.message : answer)));
  say('aborted', await refused(() => redis.multi().set('t').exec()));
  const other = redis.duplicate();
  await redis.watch('t');
  await other.incr('t');
  say('watched', await redis.multi().get('t').exec());
  const automatic = redis.duplicate({ enableAutoPipelining: true });
  say('automatic', (await Promise.all(Array.from({ length: 100 }, () => automatic.incr('a')))).at(-1));
  await Promise.all([other.quit(), automatic.quit()]);
}

async function scripts(redis) {
  redis.defineCommand('addTo', {
    numberOfKeys: 1,
    lua: `local n = redis.call('INCRBY', KEYS[1], ARGV[1])
          redis.call('PUBLISH', 'added', n)
          return {n, redis.call('TYPE', KEYS[1]), cjson.encode({n = n}), false}`,
  });
  say('script', await redis.addTo('s', 5), await redis.addTo('s', 6));
  await redis.script('FLUSH');
  say('after a flush', await redis.addTo('s', 7), (await redis.pipeline().addTo('s', 1).exec())[0][1]);
  redis.defineCommand('broken', { numberOfKeys: 0, lua: "return redis.error_reply('MINE so it is')" });
  say('refused', await refused(() => redis.broken()));
}

async function scans(redis) {
  const filled = redis.pipeline();
  for (let i = 0; i < 1000; i++) filled.set('scan:' + i, i).sadd('members', i).hset('fields', i, i).zadd('ranks', i, i);
  await filled.exec();
  const gather = async (stream) => {
    const seen = [];
    for await (const batch of stream) seen.push(...batch);
    return seen;
  };
  say('keys', new Set(await gather(redis.scanStream({ match: 'scan:*', count: 100 }))).size);
  say('lists', await gather(redis.scanStream({ type: 'list', count: 500 })));
  say('members', new Set(await gather(redis.sscanStream('members', { match: '*7' }))).size);
  say('fields', (await gather(redis.hscanStream('fields', { count: 300 }))).length);
  say('ranks', (await gather(redis.zscanStream('ranks', { match: '99*' }))).length);
}

async function streams(redis) {
  for (let i = 1; i <= 5; i++) await redis.xadd('log', i + '-0', 'n', i);
  await redis.xgroup('CREATE', 'log', 'group', '0');
  const entries = await redis.xreadgroup('GROUP', 'group', 'ann', 'COUNT', 3, 'STREAMS', 'log', '>');
  say('read', entries, await redis.xack('log', 'group', '1-0', '2-0'));
  say('pending', await redis.xpending('log', 'group'));
  say('claimed', await redis.xautoclaim('log', 'group', 'bob', 0, '0', 'JUSTID'));
  say('range', await redis.xrevrange('log', '+', '-', 'COUNT', 1), (await redis.xinfo('GROUPS', 'log')).length);
  const reader = redis.duplicate();
  const next = reader.xread('BLOCK', 5000, 'STREAMS', 'log', '$');
  await until('blocked', async () => /blocked_clients:1/.test(await redis.info('clients')));
  await redis.xadd('log', '6-0', 'n', 6);
  say('awaited', await next);
  await reader.quit();
}

async function messages(redis) {
  const listener = redis.duplicate();
  const heard = [];
  listener.on('message', (channel, text) => heard.push([channel, text]));
  listener.on('pmessage', (pattern, channel, text) => heard.push([pattern, channel, text]));
  say('subscribed', await listener.subscribe('one', 'two'), await listener.psubscribe('o*'));
  say('published', await redis.publish('one', 'a'), await redis.publish('two', 'b'), await redis.publish('none', 'c'));
  await until('heard', () => heard.length === 3);
  say('heard', heard, await redis.pubsub('NUMSUB', 'one', 'none'), await redis.pubsub('NUMPAT'));
  say('left', await listener.unsubscribe('one'), await listener.punsubscribe('o*'), await redis.publish('one', 'd'));
  await listener.quit();
}

async function waits(redis) {
  const waiting = redis.duplicate();
  const popped = waiting.blpop('first', 'second', 5);
  await until('blocked', async () => /blocked_clients:1/.test(await redis.info('clients')));
  await redis.rpush('second', 'x');
  say('popped', await popped, await waiting.blpop('first', 0.05));
  const moved = waiting.blmove('from', 'to', 'LEFT', 'RIGHT', 5);
  await until('blocked', async () => /blocked_clients:1/.test(await redis.info('clients')));
  await redis.rpush('from', 'y');
  say('moved', await moved, await redis.lrange('to', 0, -1));
  const least = waiting.bzpopmin('heap', 5);
  await until('blocked', async () => /blocked_clients:1/.test(await redis.info('clients')));
  await redis.zadd('heap', 2.5, 'b', 1.5, 'a');
  say('least', await least);
  await waiting.quit();
}

/** A connection that is cut comes back, with its name, its database and its subscriptions. */
async function reconnects(redis) {
  const cut = redis.duplicate({ db: 3, connectionName: 'cut', retryStrategy: () => 20 });
  await cut.set('where', 'database 3');
  const listener = redis.duplicate({ connectionName: 'listens', retryStrategy: () => 20 });
  const heard = [];
  listener.on('message', (channel, text) => heard.push(text));
  await listener.subscribe('news');
  const id = await cut.client('ID');
  await redis.client('KILL', 'ID', id);
  await redis.client('KILL', 'ID', (await redis.client('LIST')).match(/id=(\d+) .*name=listens/)[1]);
  await until('back', async () => (await redis.publish('news', 'again')) === 1);
  await until('heard', () => heard.includes('again'));
  say('back', await cut.get('where'), await cut.client('GETNAME'), (await cut.client('ID')) > id);
  cut.disconnect();
  listener.disconnect();
}

async function prefixed(redis) {
  const mine = redis.duplicate({ keyPrefix: 'mine:' });
  await mine.mset({ a: 1, b: 2 });
  say('prefixed', await redis.keys('mine:*').then((keys) => keys.sort()), await mine.mget('a', 'b', 'c'));
  say('sorted', await redis.rpush('list', 3, 1, 2), await redis.sort('list', 'DESC'));
  await mine.quit();
}

for (const options of [{ protocol: 2 }, { protocol: 3 }, { protocol: 3, replyMapping: 'resp3' }]) {
  const redis = new Redis({ host: '127.0.0.1', port, ...options });
  await redis.flushall();
  say('-- options', options);
  for (const part of [commands, pipelines, scripts, scans, streams, messages, waits, reconnects, prefixed]) await part(redis);
  await redis.quit();
}
say('done');
