// rate-limiter-flexible on ioredis and node-redis against the server on port argv[2]: prints what happened.
import Redis from 'ioredis';
import {
  BurstyRateLimiter,
  RateLimiterQueue,
  RateLimiterRedis,
  RateLimiterRedisNonAtomic,
  RateLimiterUnion,
} from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { port, say, until } from './tools/say.mjs';

const took = (answer) => answer.remainingPoints ?? answer.message;
const consumed = async (limiter, key, times, points = 1) => {
  const left = [];
  for (let i = 0; i < times; i++) left.push(await limiter.consume(key, points).then(took, (no) => 'no ' + took(no)));
  return left;
};

async function limits(storeClient, options) {
  const make = (Kind, keyPrefix, more) => new Kind({ storeClient, keyPrefix, points: 3, duration: 100, ...options, ...more });
  const plain = make(RateLimiterRedis, 'plain', {});
  say('plain', await consumed(plain, 'ann', 5), await consumed(plain, 'bob', 1, 2));
  await plain.penalty('bob', 1);
  say('penalty', (await plain.get('bob')).consumedPoints, (await plain.reward('bob', 2)).consumedPoints);
  say('set', (await plain.set('cid', 2, 10)).consumedPoints, await consumed(plain, 'cid', 2), await plain.delete('cid'));
  say('gone', await plain.get('cid'), await plain.delete('cid'));
  await plain.block('dan', 50);
  const blocked = await plain.get('dan');
  say('blocked', blocked.msBeforeNext > 45_000, await consumed(plain, 'dan', 1));
  say('at once', (await Promise.allSettled(Array.from({ length: 10 }, () => plain.consume('many')))).filter((a) => a.status === 'fulfilled').length);
  const jail = make(RateLimiterRedis, 'jail', { blockDuration: 60 });
  say('jail', await consumed(jail, 'ann', 4), (await jail.get('ann')).msBeforeNext > 50_000);
  const short = make(RateLimiterRedis, 'short', { duration: 1 });
  say('short', await consumed(short, 'ann', 4));
  await until('over', async () => (await short.get('ann')) === null);
  say('after', await consumed(short, 'ann', 1));
  const remembers = make(RateLimiterRedis, 'memory', { inMemoryBlockOnConsumed: 3 });
  say('in memory', await consumed(remembers, 'ann', 5));
  const custom = make(RateLimiterRedis, 'custom', {
    customIncrTtlLuaScript: `local ok = redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
      local consumed = redis.call('incrby', KEYS[1], ARGV[1] * 2)
      return {consumed, redis.call('pttl', KEYS[1])}`,
  });
  say('twice', await consumed(custom, 'ann', 2));
  const bursty = new BurstyRateLimiter(make(RateLimiterRedis, 'rate', { points: 1 }), make(RateLimiterRedis, 'burst', { points: 2 }));
  say('bursty', (await consumed(bursty, 'ann', 4)).map((left) => typeof left));
  const union = new RateLimiterUnion(make(RateLimiterRedis, 'minute', {}), make(RateLimiterRedis, 'hour', { points: 5 }));
  say('union', Object.entries(await union.consume('ann')).map(([name, answer]) => [name, answer.remainingPoints]));
  const loose = make(RateLimiterRedisNonAtomic, 'loose', {});
  say('non-atomic', await consumed(loose, 'ann', 5).catch((error) => error.message));
  const queue = new RateLimiterQueue(make(RateLimiterRedis, 'queue', { points: 2, duration: 1 }));
  const from = Date.now();
  for (let i = 0; i < 4; i++) await queue.removeTokens(1);
  say('queued', Date.now() - from > 300);
}

const ioredis = new Redis({ port, enableOfflineQueue: false });
await until('ready', () => ioredis.status === 'ready');
await ioredis.flushall();
say('-- ioredis');
await limits(ioredis, {});
await ioredis.flushall();
const client = createClient({ socket: { port } });
await client.connect();
say('-- node-redis');
await limits(client, { useRedisPackage: true });
await ioredis.flushall();
say('done');
process.exit(0);
