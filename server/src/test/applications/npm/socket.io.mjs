// Two socket.io servers that hear each other through the server on port argv[2]: prints what happened.
import { createServer } from 'node:http';
import { createAdapter, createShardedAdapter } from '@socket.io/redis-adapter';
import { createAdapter as createStreamsAdapter } from '@socket.io/redis-streams-adapter';
import { createClient } from 'redis';
import { Server } from 'socket.io';
import { io as connect } from 'socket.io-client';
import { port, say, until } from './tools/say.mjs';

const clients = [];
async function client() {
  const made = createClient({ socket: { port } });
  clients.push(made);
  await made.connect();
  return made;
}

async function server(adapter, heard) {
  const http = createServer();
  const io = new Server(http, { adapter: await adapter(), connectionStateRecovery: {} });
  io.on('connection', (socket) => {
    socket.on('join', async (room, done) => (await socket.join(room), done()));
    socket.on('say', (room, text) => socket.to(room).emit('said', text));
  });
  io.on('told', (text, done) => {
    heard.push('server told ' + text);
    done('yes');
  });
  await new Promise((done) => http.listen(0, '127.0.0.1', done));
  return { io, url: 'http://127.0.0.1:' + http.address().port };
}

async function exchange(name, adapter) {
  say('--', name);
  const heard = [];
  const servers = [await server(adapter, heard), await server(adapter, heard)];
  const sockets = servers.map(({ url }) => connect(url, { transports: ['websocket'], forceNew: true }));
  sockets.forEach((socket, i) => {
    socket.on('said', (text) => heard.push(i + ' heard ' + text));
    socket.on('ask', (text, done) => done('socket ' + i));
  });
  await until('connected', () => sockets.every((socket) => socket.connected));
  const [first, second] = servers.map((each) => each.io);
  await until('acquainted', async () => (await first.serverCount?.().catch(() => 0)) !== 1 && (await first.fetchSockets()).length === 2);
  say('sockets', (await second.fetchSockets()).length);
  first.emit('said', 'all');
  await until('broadcast', () => heard.length === 2);
  await sockets[1].emitWithAck('join', 'room');
  second.to('room').emit('said', 'from home');
  await until('local', () => heard.length === 3);
  sockets[0].emit('say', 'room', 'from abroad');
  await until('room', () => heard.length === 4);
  say('heard', heard.splice(0).sort());
  say('answers', (await first.timeout(5000).emitWithAck('ask', 'who')).sort());
  say('servers', await first.serverSideEmitWithAck('told', 'x'), heard.splice(0));
  first.in('room').socketsJoin('other');
  await until('joined', async () => (await first.in('other').fetchSockets()).length === 1);
  second.in('other').disconnectSockets(true);
  await until('cut', () => !sockets[1].connected);
  say('left', (await first.fetchSockets()).length);
  sockets.forEach((socket) => socket.close());
  await Promise.all(servers.map((each) => each.io.close()));
}

const root = await client();
await root.flushAll();
await exchange('pub/sub', async () => createAdapter(await client(), await client()));
await exchange('sharded pub/sub', async () => createShardedAdapter(await client(), await client()));
await exchange('streams', async () => createStreamsAdapter(await client(), { blockTimeInMs: 200 }));
say('stream', await root.type('socket.io'));
say('done');
process.exit(0);
