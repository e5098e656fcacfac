// A hub on this machine, with a second server that it redirects downloads to, and everything that
// can go wrong in between.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What the second server does with one request instead of serving it properly:
 * - `reset`, `truncate`: the connection breaks, or ends normally, after a third of the bytes
 * - `all`: 200 with everything, whatever range was requested; `416`; `500`; `429`: with `Retry-After: 0`
 * - `changed`: from now on, another version of the file, with another ETag
 * - `wrong`: bytes that are not the file's; `shifted`: a range that starts elsewhere; `longer`: extra bytes
 * - `page`: a login page; `silent`: no response
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
 * Serves the same files in every repository: .json files as regular git files, and all others as large files.
 *
 * @param {Record<string, Buffer>} files by name
 * @param {object} [pace]
 * @param {number} [pace.pause] milliseconds between two parts of a file
 * @param {() => number} [pace.received] how many bytes of the file the client has. The server keeps at most
 *   128 KiB in flight; otherwise, this machine's own network would accept megabytes that a killed client never sees
 */
export async function fakeHub(files, { pause = 0, received } = {}) {
  const part = 65536;
  const state = {
    /** @type {SeenRequest[]} */
    requests: [],
    /** Bytes of files sent by the second server. */
    bytesSent: 0,
    /** Failures of the next requests to the second server, one each. @type {(Failure | undefined)[]} */
    failures: [],
    /** Statuses that the first server returns instead of its own responses. @type {number[]} */
    refusals: [],
    version: 'first',
    endpoint: '',
    storage: '',
    /**
     * Called whenever bytes were sent, with the number sent for this request so far.
     *
     * @type {(sent: number) => void}
     */
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
  // Python compares host names without ports.
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
 * @param {string} host its host name
 */
async function listening(server, host) {
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return `http://${host}:${address.port}`;
}
