// node-redis end to end against the server on port argv[2]: three majors, RESP2 and RESP3, and client-side caching.
import * as four from 'redis4';
import * as five from 'redis5';
import * as six from 'redis';
import { port, refused, say, until } from './tools/say.mjs';

const plain = (value) => (value instanceof Map ? Object.fromEntries(value) : value);
const connected = async (client) => {
  client.on('error', () => {});
  await client.connect();
  return client;
};

async function commands(client) {
  say('set', await client.set('k', 'v', { EX: 100, NX: true }), await client.set('k', 'w', { NX: true }));
  await client.hSet('h', { a: '1', b: 'two' });
  say('hash', { ...plain(await client.hGetAll('h')) }, await client.hmGet('h', ['a', 'none']));
  await client.zAdd('z', [{ score: 1, value: 'one' }, { score: 2.5, value: 'two' }]);
  say('scores', await client.zRangeWithScores('z', 0, -1), await client.zScore('z', 'two'), await client.zPopMax('z'));
  await client.geoAdd('g', { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' });
  say('near', await client.geoSearch('g', { longitude: 13, latitude: 38 }, { radius: 100, unit: 'km' }));
  say('numbers', await client.incrByFloat('f', 1.5), await client.exists('f'), await client.expire('f', 10));
  say('error', await refused(() => client.lPush('k', '1')));
  const info = await client.memoryUsage('k');
  say('usage', info > 0, await client.type('h'), await client.dbSize());
}

async function transactions(client, duplicate) {
  say('multi', await client.multi().set('t', '1').incr('t').get('t').exec());
  say('failed', await refused(() => client.multi().set('t', 'x').incr('t').exec()));
  const other = await duplicate();
  await other.watch('t');
  await client.set('t', '5');
  say('watched', await refused(() => other.multi().get('t').exec()));
  const all = await Promise.all(Array.from({ length: 200 }, () => client.incr('n')));
  say('pipelined', all.at(-1), (await client.multi().incr('n').incr('n').execAsPipeline()).at(-1));
  await other.disconnect();
}

async function scans(client) {
  await client.mSet(Array.from({ length: 500 }, (_, i) => ['scan:' + i, '' + i]));
  const seen = new Set();
  for await (const keys of client.scanIterator({ MATCH: 'scan:*', COUNT: 50 })) for (const key of [keys].flat()) seen.add(key);
  say('scanned', seen.size);
  await client.sAdd('s', Array.from({ length: 300 }, (_, i) => 'm' + i));
  let members = 0;
  for await (const some of client.sScanIterator('s')) members += [some].flat().length;
  say('members', members);
}

async function messages(client, duplicate) {
  const listener = await duplicate();
  const heard = [];
  const hear = (text, channel) => heard.push([channel, text]);
  await listener.subscribe('one', hear);
  await listener.pSubscribe('o*', hear);
  await listener.sSubscribe('sharded', hear);
  say('published', await client.publish('one', 'a'), await client.sPublish('sharded', 'b'));
  await until('heard', () => heard.length === 3);
  say('heard', heard.sort(), { ...plain(await client.pubSubNumSub(['one'])) });
  await listener.unsubscribe('one');
  await listener.pUnsubscribe('o*');
  await listener.sUnsubscribe('sharded');
  say('deaf', await client.publish('one', 'c'));
  await listener.disconnect();
}

async function scripts(client) {
  say('eval', await client.eval('return {KEYS[1], ARGV[1], 3.9, redis.call("INCR", KEYS[1])}', { keys: ['e'], arguments: ['x'] }));
  const library = `#!lua name=lib
redis.register_function{function_name='twice', callback=function(keys, args) return args[1] * 2 end, flags={'no-writes'}}`;
  say('function', await client.functionLoad(library, { REPLACE: true }), await client.fCallRo('twice', { arguments: ['21'] }));
  await client.functionFlush();
}

async function streams(client, duplicate) {
  await client.xAdd('x', '1-0', { n: '1' });
  await client.xGroupCreate('x', 'group', '0');
  const read = await client.xReadGroup('group', 'ann', { key: 'x', id: '>' }, { COUNT: 5 });
  say('read', JSON.parse(JSON.stringify(read)), await client.xAck('x', 'group', '1-0'), (await client.xInfoStream('x')).length);
  const waiting = await duplicate();
  const next = waiting.xRead({ key: 'x', id: '$' }, { BLOCK: 5000 });
  await until('blocked', async () => /blocked_clients:1/.test(await client.info('clients')));
  await client.xAdd('x', '2-0', { n: '2' });
  say('awaited', JSON.parse(JSON.stringify(await next)));
  const popped = waiting.blPop('list', 5);
  await until('blocked', async () => /blocked_clients:1/.test(await client.info('clients')));
  await client.rPush('list', 'y');
  say('popped', { ...(await popped) });
  await waiting.disconnect();
}

/** What is cached is read once, until somebody changes it. */
async function caching(name, module) {
  const cache = new module.BasicClientSideCache({ ttl: 0, maxEntries: 100 });
  const client = await connected(module.createClient({ socket: { port }, RESP: 3, clientSideCache: cache }));
  const other = await connected(module.createClient({ socket: { port } }));
  await other.set('cached', 'a');
  for (let i = 0; i < 5; i++) await client.get('cached');
  say('hits', cache.stats().hitCount, 'misses', cache.stats().missCount);
  await other.set('cached', 'b');
  await until('invalidated', async () => (await client.get('cached')) === 'b');
  await other.hSet('h', 'cached', '1');
  say('hash', await client.hGet('h', 'cached'), await client.hGet('h', 'cached'), cache.stats().hitCount >= 5);
  await other.flushAll();
  await until('flushed', async () => (await client.get('cached')) === null);
  say('size', cache.size());
  await Promise.all([client.destroy(), other.destroy()]);
}

const kinds = [['4', four, 2], ['5', five, 2], ['5', five, 3], ['6', six, 2], ['6', six, 3]];
for (const [name, module, protocol] of kinds) {
  say('-- node-redis', name, 'RESP', protocol);
  const options = { socket: { port }, ...(name === '4' ? {} : { RESP: protocol, unstableResp3: true }) };
  const client = await connected(module.createClient(options));
  const duplicate = () => connected(client.duplicate());
  await client.flushAll();
  for (const part of [commands, transactions, scans, messages, scripts, streams]) await part(client, duplicate);
  await client.disconnect();
  if (protocol === 3) await caching(name, module);
}
say('done');
process.exit(0);
