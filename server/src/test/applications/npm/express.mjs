// Sessions of express in connect-redis, over HTTP, against the server on port argv[2]: prints what happened.
import { RedisStore } from 'connect-redis';
import express from 'express';
import session from 'express-session';
import { createClient } from 'redis';
import { port, say, until } from './tools/say.mjs';

const client = createClient({ socket: { port } });
await client.connect();
await client.flushAll();

/** A site that counts the visits of a session. */
function site(ttl) {
  const store = new RedisStore({ client, prefix: 'sess:', ttl });
  const app = express();
  app.use(session({ store, secret: 'secret', resave: false, saveUninitialized: false, cookie: { maxAge: null } }));
  app.get('/visit', (request, response) => {
    request.session.visits = (request.session.visits ?? 0) + 1;
    response.json({ visits: request.session.visits, name: request.session.name ?? null });
  });
  app.get('/name/:name', (request, response) => {
    request.session.regenerate(() => {
      request.session.name = request.params.name;
      response.json({});
    });
  });
  app.get('/nothing', (request, response) => response.json({ session: 'name' in request.session }));
  app.get('/leave', (request, response) => request.session.destroy(() => response.json({ left: true })));
  const server = app.listen(0, '127.0.0.1');
  return new Promise((done) => server.on('listening', () => done({ store, server, at: server.address().port })));
}

/** A browser: keeps its cookie. */
class Browser {
  async get(at, path) {
    const headers = this.cookie ? { cookie: this.cookie } : {};
    const response = await fetch(`http://127.0.0.1:${at}${path}`, { headers });
    const cookie = response.headers.get('set-cookie');
    if (cookie) this.cookie = cookie.split(';')[0];
    return response.json();
  }
}

const [one, two] = [await site(100), await site(100)];
const ann = new Browser();
const bob = new Browser();
say('nobody', await bob.get(one.at, '/nothing'), bob.cookie ?? 'no cookie');
for (const at of [one.at, two.at, one.at]) say('ann', await ann.get(at, '/visit'));
say('bob', await bob.get(two.at, '/visit'));
const stored = JSON.parse(await client.get('sess:' + decodeURIComponent(ann.cookie).match(/s:([^.]+)\./)[1]));
say('stored', stored.visits, 'sessions', (await client.keys('sess:*')).length);
const ttl = await client.ttl((await client.keys('sess:*'))[0]);
say('ttl', ttl > 90 && ttl <= 100);
const before = ann.cookie;
await ann.get(one.at, '/name/ann');
say('regenerated', before !== ann.cookie, await ann.get(two.at, '/visit'));
await new Promise((done) => one.store.length((error, length) => (say('length', length), done())));
await new Promise((done) => one.store.ids((error, ids) => (say('ids', ids.length), done())));
await new Promise((done) => one.store.all((error, all) => (say('visits', all.map((s) => s.visits).sort()), done())));
say('left', await ann.get(one.at, '/leave'), await client.dbSize());
const short = await site(1);
const cid = new Browser();
say('cid', await cid.get(short.at, '/visit'));
await until('gone', async () => (await client.dbSize()) === 1);
say('cid later', await cid.get(short.at, '/visit'));
await new Promise((done) => one.store.clear(done));
say('cleared', (await client.keys('sess:*')).length);
for (const each of [one, two, short]) each.server.close();
await client.destroy();
say('done');
process.exit(0);
