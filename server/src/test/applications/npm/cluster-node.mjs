// The cluster clients of ioredis and node-redis against the cluster of one on port argv[2]: prints what happened.
import Redis from 'ioredis';
import { createCluster } from 'redis';
import { createCluster as createCluster5 } from 'redis5';
import { port, refused, say, until } from './tools/say.mjs';

const KEYS = Array.from({ length: 300 }, (_, i) => 'key:' + i);

async function ioredis() {
  const cluster = new Redis.Cluster([{ host: '127.0.0.1', port }], { scaleReads: 'slave' });
  say('set', new Set(await Promise.all(KEYS.map((key, i) => cluster.set(key, i)))));
  say('sum', (await Promise.all(KEYS.map((key) => cluster.get(key)))).reduce((sum, each) => sum + Number(each), 0));
  say('nodes', cluster.nodes('master').length, cluster.nodes('slave').length);
  say('tagged', await cluster.mset('{t}:a', 1, '{t}:b', 2), await cluster.mget('{t}:a', '{t}:b', '{t}:c'));
  const pipeline = cluster.pipeline();
  for (const key of KEYS) pipeline.incr(key);
  say('pipeline', (await pipeline.exec()).at(-1));
  say('transaction', await cluster.multi().set('{t}:n', 1).incr('{t}:n').exec());
  say('script', await cluster.eval("return {KEYS[1], redis.call('INCR', KEYS[1])}", 1, '{t}:s'));
  let found = 0;
  for (const node of cluster.nodes('master')) {
    for await (const batch of node.scanStream({ match: 'key:*', count: 50 })) found += batch.length;
  }
  say('found', found);
  const subscriber = cluster.duplicate();
  const heard = [];
  subscriber.on('message', (channel, message) => heard.push([channel, message]));
  await subscriber.subscribe('news');
  await cluster.publish('news', 'hello');
  await until('heard', () => heard.length === 1);
  say('heard', heard);
  say('refused', await refused(() => cluster.lpush('{t}:a', 1)));
  say('slot', await cluster.cluster('KEYSLOT', 'key:1'), await cluster.cluster('COUNTKEYSINSLOT', 12539));
  await Promise.all([cluster.quit(), subscriber.quit()]);
}

async function nodeRedis(create, name) {
  const cluster = create({ rootNodes: [{ url: 'redis://127.0.0.1:' + port }], useReplicas: true });
  cluster.on('error', (error) => say('error', error.message));
  await cluster.connect();
  say(name, cluster.masters.length, cluster.replicas.length);
  await Promise.all(KEYS.map((key, i) => cluster.hSet('h:' + key, 'n', i)));
  say('sum', (await Promise.all(KEYS.map((key) => cluster.hGet('h:' + key, 'n')))).reduce((sum, n) => sum + Number(n), 0));
  say('transaction', await cluster.multi().set('{u}:n', '1').incr('{u}:n').get('{u}:n').exec());
  const heard = [];
  await cluster.sSubscribe('shard', (message) => heard.push(message));
  await cluster.sPublish('shard', 'hello');
  await until('heard', () => heard.length === 1);
  await cluster.sUnsubscribe('shard');
  say('heard', heard);
  await cluster.del(KEYS.map((key) => 'h:' + key)[0]);
  say('exists', await cluster.exists('h:key:0'), await cluster.exists('h:key:1'));
  await cluster.close();
}

await ioredis();
await nodeRedis(createCluster5, 'node-redis 5');
await nodeRedis(createCluster, 'node-redis 6');
