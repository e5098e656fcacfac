// A hub on this machine, with a second server that it sends downloads to, and everything that can go wrong on the way.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What the second server does with one request, in place of serving it well:
 * - `reset`, `truncate`: the connection breaks, or ends as if all were well, after a third of the bytes
 * - `all`: 200 with everything, whatever range was asked for; `416`; `500`; `429`: with `Retry-After: 0`
 * - `changed`: another version of the file from now on, with another ETag
 * - `wrong`: bytes that are not the file's; `shifted`: a range that begins elsewhere; `longer`: more bytes than the file has
 * - `page`: a log-in page; `silent`: no answer
 *
 * @typedef {'reset' | 'truncate' | 'all' | '416' | '500' | '429' | 'changed' | 'wrong' | 'shifted' | 'longer' | 'page' | 'silent'} Failure
 *
 * @typedef {object} SeenRequest
 * @property {'hub' | 'storage'} server
 * @property {string} method
 * @property {string} url
 * @property {import('node:http').IncomingHttpHeaders} headers
 */

export const commit = 'c0ffee'.padEnd(40, '0');

/**
 * Serves the same files in every repository: those that end in .json as git does, and all others as large files.
 *
 * @param {Record<string, Buffer>} files by name
 * @param {object} [pace]
 * @param {number} [pace.pause] milliseconds between two parts of a file
 * @param {() => number} [pace.received] how many bytes of the file the client has: the server keeps at most 128 KiB on the way,
 *   where this machine's own network would take in megabytes that a killed client never sees
 */
export async function fakeHub(files, { pause = 0, received } = {}) {
  const part = 65536;
  const state = {
    /** @type {SeenRequest[]} */
    requests: [],
    /** Bytes of files that the second server sent. */
    bytesSent: 0,
    /** One for each of the next requests to the second server. @type {(Failure | undefined)[]} */
    failures: [],
    /** Answers of the first server in place of its own: a status. @type {number[]} */
    refusals: [],
    version: 'first',
    endpoint: '',
    storage: '',
    /** Called when bytes were sent, with how many of this request. @type {(sent: number) => void} */
    onSent: () => {},
  };
  const storage = createServer(async (request, response) => {
    state.requests.push(seen('storage', request));
    const name = new URL(request.url ?? '', 'http://storage').pathname.slice(1);
    const content = files[name];
    if (!content) return void response.writeHead(404).end();
    await serve(request, response, content, state.failures.shift()).catch(() => response.destroy());
  });

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {Buffer} content
   * @param {Failure | undefined} failure
   */
  async function serve(request, response, content, failure) {
    if (failure === 'silent') return;
    if (failure === '416' || failure === '500') return void response.writeHead(Number(failure)).end();
    if (failure === '429') return void response.writeHead(429, { 'retry-after': '0' }).end();
    if (failure === 'page') {
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please log in</html>');
    }
    if (failure === 'changed') state.version = 'second';
    const etag = `"${state.version}"`;
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    const isSame = !request.headers['if-range'] || request.headers['if-range'] === etag;
    let start = asked !== undefined && isSame && failure !== 'all' ? Number(asked) : 0;
    if (failure === 'shifted') start += 7;
    const size = content.length;
    const bytes = failure === 'wrong' ? Buffer.alloc(size - start) : content.subarray(start);
    const length = failure === 'longer' ? bytes.length + 1000 : bytes.length;
    response.writeHead(start > 0 ? 206 : 200, {
      etag,
      ...(failure === 'truncate' ? {} : { 'content-length': length }),
      ...(start > 0 && { 'content-range': `bytes ${start}-${size - 1}/${size}` }),
    });
    if (request.method === 'HEAD') return void response.end();
    const end = failure === 'reset' || failure === 'truncate' ? Math.ceil(bytes.length / 3) : bytes.length;
    let sent = 0;
    while (sent < end && !response.destroyed) {
      if (received && start + sent - received() > part) {
        await sleep(1);
        continue;
      }
      const next = bytes.subarray(sent, Math.min(end, sent + part));
      const isAccepted = await new Promise((done) => response.write(next, (error) => done(!error)));
      if (!isAccepted) return;
      sent += next.length;
      state.bytesSent += next.length;
      state.onSent(sent);
      if (pause > 0) await sleep(pause);
    }
    if (failure === 'reset') response.destroy();
    else if (failure === 'longer') response.end(Buffer.alloc(1000));
    else response.end();
  }

  const hub = createServer((request, response) => {
    state.requests.push(seen('hub', request));
    const refusal = state.refusals.shift();
    if (refusal !== undefined) return void response.writeHead(refusal).end();
    const { pathname } = new URL(request.url ?? '', 'http://hub');
    const [, place, name = ''] =
      /^\/([\w.-]+\/[\w.-]+\/resolve\/[^/]+|api\/files)\/(.+)$/.exec(pathname) ?? [];
    const content = files[name];
    if (!place) return void response.writeHead(404).end();
    if (!content) return void response.writeHead(404, { 'x-repo-commit': commit }).end();
    const isSmall = name.endsWith('.json');
    if (isSmall && place !== 'api/files') {
      return void response.writeHead(307, { location: `/api/files/${name}` }).end();
    }
    const headers = { 'x-repo-commit': commit };
    if (isSmall) {
      response.writeHead(200, {
        ...headers,
        etag: `"${gitHash(content)}"`,
        'content-length': content.length,
      });
      return void response.end(request.method === 'HEAD' ? undefined : content);
    }
    response.writeHead(302, {
      ...headers,
      'x-linked-etag': `"${sha256(content)}"`,
      'x-linked-size': content.length,
      location: `${state.storage}/${name}?signature=secret`,
    });
    response.end();
  });
  state.endpoint = await listening(hub, '127.0.0.1');
  // Python compares names of hosts without their ports.
  state.storage = await listening(storage, 'localhost');
  return {
    state,
    async close() {
      for (const server of [hub, storage]) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

/** @param {Buffer} content */
export function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}

/** @param {Buffer} content */
export function gitHash(content) {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/**
 * @param {SeenRequest['server']} server
 * @param {import('node:http').IncomingMessage} request
 * @returns {SeenRequest}
 */
function seen(server, { method = '', url = '', headers }) {
  return { server, method, url, headers };
}

/**
 * @param {import('node:http').Server} server
 * @param {string} host what it is called
 */
async function listening(server, host) {
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://${host}:${address.port}`;
}
