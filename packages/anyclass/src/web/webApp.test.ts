import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { addRoute, sendJson, sendPage, sendText, servedPage } from './answers.js';
import type { Access } from './guards.js';
import { limitedBody } from './limitedBody.js';
import { drained, listen, portOf } from './listening.js';
import { Problem } from './problem.js';
import { type Answered, createWebApp, guarded } from './webApp.js';

/** Starts a server with a few routes; disposing it stops it. */
async function started(given: Partial<Access> = {}) {
  const answered: Answered[] = [];
  const unexpected: unknown[] = [];
  const { routes, answer } = await createWebApp({
    access: {
      host: '127.0.0.1',
      allowHost: [],
      allowOrigin: [],
      token: undefined,
      isPublic: (path) => path === '/health',
      isOpen: (path) => path === '/health' || path === '/',
      ...given,
    },
    isDraining: () => false,
    onAnswered: (one) => void answered.push(one),
    onUnexpected: (error) => void unexpected.push(error),
  });
  addRoute(routes, '/health', { GET: (_, reply) => sendText(reply, 'text/plain', 'ok') });
  const page = servedPage('<script>1</script>');
  addRoute(routes, '/', { GET: (_, reply) => sendPage(reply, page) });
  addRoute(routes, '/items/:name', {
    GET({ params, exchange }, reply) {
      exchange.logged['seen'] = true;
      return sendJson(reply, params);
    },
    POST() {
      throw new Problem('queue-full', 'later', { retryAfter: 3 });
    },
  });
  addRoute(routes, '/texts', {
    POST: async ({ raw }, reply) => sendJson(reply, String(await limitedBody(raw, 10))),
  });
  addRoute(routes, '/broken', {
    async GET() {
      throw new Error('a secret');
    },
  });
  const events = new PassThrough();
  addRoute(routes, '/events', { GET: (_, reply) => reply.type('text/event-stream').send(events) });
  await routes.ready();
  const server = await listen(
    (incoming, outgoing) => answer({ incoming, outgoing, arrivedAt: performance.now() }),
    { host: '127.0.0.1', port: 0, milliseconds: 5000 },
  );
  const port = portOf(server, 0);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    answered,
    unexpected,
    events,
    [Symbol.asyncDispose]: () => drained(server, { drain: 0, timeout: 0 }),
  };
}

test('an error before any route, or after the answer has started, costs that request alone', async () => {
  const unexpected: unknown[] = [];
  const answer = guarded(
    ({ incoming, outgoing }) => {
      if (incoming.url === '/started') outgoing.writeHead(200, { 'Content-Length': 2 }).write('a');
      throw new Error(incoming.url);
    },
    { onUnexpected: (error) => void unexpected.push(error) },
  );
  const server = await listen((incoming, outgoing) => answer({ incoming, outgoing, arrivedAt: 0 }), {
    host: '127.0.0.1',
    port: 0,
    milliseconds: 5000,
  });
  const url = `http://127.0.0.1:${portOf(server, 0)}`;
  expect((await fetch(`${url}/first`)).status).toBe(500);
  await expect(fetch(`${url}/started`).then((answered) => answered.text())).rejects.toThrow();
  expect((await fetch(`${url}/next`)).status).toBe(500);
  expect(unexpected.map(String)).toEqual(['Error: /first', 'Error: /started', 'Error: /next']);
  await drained(server, { drain: 0, timeout: 0 });
});

test('a route gets its decoded parameters and method, HEAD included, and every other method the reason', async () => {
  await using server = await started();
  const item = `${server.url}/items/a%2Fb?x=1`;
  expect(await (await fetch(item)).json()).toEqual({ name: 'a/b' });
  const head = await fetch(item, { method: 'HEAD', headers: { 'x-request-id': 'mine' } });
  expect([head.status, await head.text(), head.headers.get('x-request-id')]).toEqual([200, '', 'mine']);
  for (const method of ['DELETE', 'OPTIONS', 'PUT']) {
    const refused = await fetch(item, { method });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD']);
    expect((await refused.json()).detail).toBe('/items/:name takes GET, POST');
  }
  expect((await fetch(`${server.url}/none`)).status).toBe(404);
  expect(server.answered.map(({ route, method }) => `${method} ${route}`)).toEqual([
    'GET /items/:name',
    'HEAD /items/:name',
    'DELETE /items/:name',
    'OPTIONS /items/:name',
    'PUT /items/:name',
    'GET undefined',
  ]);
  expect(server.answered[0]?.logged).toEqual({ seen: true });
});

test('problems are RFC 9457 with Retry-After; the reason for an error of ours stays here', async () => {
  await using server = await started();
  const later = await fetch(`${server.url}/items/a`, { method: 'POST', body: 'x' });
  expect(later.headers.get('content-type')).toBe('application/problem+json');
  expect([later.status, later.headers.get('retry-after')]).toEqual([429, '3']);
  const broken = await fetch(`${server.url}/broken`);
  expect(broken.status).toBe(500);
  expect(await broken.text()).not.toContain('secret');
  expect(server.unexpected).toEqual([new Error('a secret')]);
});

/** Sends bytes as they are, and returns what comes back until the connection is closed, or its first part. */
function sendRaw(port: number, bytes: string, until: 'data' | 'close' = 'data'): Promise<string> {
  return new Promise((done) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (part) => {
      got += String(part);
      if (until === 'data') socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => done(got));
  });
}

test('a target that cannot be read is answered and told, after host and token were checked', async () => {
  await using server = await started({ token: 'secret' });
  const ask = (headers: string) => sendRaw(server.port, `GET /items/%ff HTTP/1.1\r\n${headers}\r\n\r\n`);
  const token = 'Authorization: Bearer secret';
  expect(await ask(`Host: evil.example.com\r\n${token}`)).toContain('403 Forbidden');
  expect(await ask('Host: localhost')).toContain('401 Unauthorized');
  expect(await ask(`Host: localhost\r\n${token}`)).toContain('400 Bad Request');
  expect(server.answered).toMatchObject([
    { route: undefined, status: 403, problem: { kind: 'foreign-host' } },
    { route: undefined, status: 401, problem: { kind: 'unauthorized' } },
    { route: undefined, status: 400, problem: { kind: 'bad-request' } },
  ]);
});

test('a few requests at once are answered in order; a connection that sends hundreds is closed', async () => {
  await using server = await started();
  const ask = (name: string | number) => `GET /items/${name} HTTP/1.1\r\nHost: localhost\r\n`;
  const few = await sendRaw(
    server.port,
    `${ask('a')}\r\n${ask('b')}\r\n${ask('c')}Connection: close\r\n\r\n`,
    'close',
  );
  expect(Array.from(few.matchAll(/"name":"(\w)"/g), ([, name]) => name)).toEqual(['a', 'b', 'c']);
  await sendRaw(server.port, Array.from({ length: 900 }, (_, i) => `${ask(i)}\r\n`).join(''), 'close');
  expect(server.answered.length).toBeLessThan(100);
  expect((await fetch(`${server.url}/items/a`)).status).toBe(200);
});

test('hosts, origins and the token are checked for every path, also for those that do not exist', async () => {
  await using server = await started({ token: 'secret', allowOrigin: ['https://app.example.com'] });
  const status = async (path: string, headers: Record<string, string>, method = 'GET') => {
    const response = await fetch(server.url + path, { method, headers });
    await response.arrayBuffer();
    return response.status;
  };
  const token = { authorization: 'Bearer secret' };
  for (const path of ['/items/a', '/none']) {
    expect(await status(path, {})).toBe(401);
    expect(await status(path, { authorization: 'Bearer secre' })).toBe(401);
    expect(await status(path, { ...token, origin: 'https://evil.example.com' })).toBe(403);
  }
  expect(await status('/items/a', token)).toBe(200);
  expect(await status('/', {})).toBe(200);
  const preflight = await fetch(`${server.url}/items/a`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
  const answer = await fetch(`${server.url}/items/a`, {
    headers: { ...token, origin: 'https://app.example.com' },
  });
  expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
});

test('an answer may be a stream of events, which the client gets one by one', async () => {
  await using server = await started();
  server.events.write('data: 1\n\n');
  const reader = (await fetch(`${server.url}/events`)).body!.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe('data: 1\n\n');
  server.events.write('data: 2\n\n');
  expect(await next()).toBe('data: 2\n\n');
  server.events.end();
  expect((await reader.read()).done).toBe(true);
});

test('the connection closes after an answer whose body was never read', async () => {
  await using server = await started();
  const text = await sendRaw(
    server.port,
    'POST /items/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\nabc',
    'close',
  );
  expect(text).toContain('429 Too Many Requests');
});

test('a body that is too long is answered while it is sent, and costs its connection alone', async () => {
  await using server = await started();
  const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
  const text = await sendRaw(
    server.port,
    `POST /texts HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
    'close',
  );
  expect(text).toContain('413 Payload Too Large');
  const short = await fetch(`${server.url}/texts`, { method: 'POST', body: '0123456789' });
  expect([short.status, await short.json()]).toEqual([200, '0123456789']);
});

test('a client that leaves while it sends is no error of the server', async () => {
  await using server = await started();
  const socket = connect(server.port, '127.0.0.1', () => {
    socket.write('POST /texts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc');
    setTimeout(() => socket.destroy(), 50);
  });
  await expect.poll(() => server.answered).toMatchObject([{ status: 499, problem: { kind: 'client-left' } }]);
  expect(server.unexpected).toEqual([]);
});
