// The HTTP server around an app: its time limits, and how it stops without losing a request.

import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { errorCode, fileProblem } from '@anyclass/files';
import { UserError } from '../errors/userError.js';

/** Requests of one connection that wait for their answers; browsers have one, clients that pipeline a few. */
const mostUnanswered = 8;

const openSockets = new WeakMap<HttpServer, ReadonlySet<Socket>>();

/** Where a server listens, and how long a request may take to arrive. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly milliseconds: number;
}

/**
 * Starts listening.
 *
 * @throws UserError if the address is in use
 *
 * @example
 * const server = await listen(app.listener, { host: '127.0.0.1', port: 0, milliseconds: 30_000 });
 */
export async function listen(
  listener: RequestListener,
  { host, port, milliseconds }: Listening,
): Promise<HttpServer> {
  const arrival = Math.max(1000, Math.ceil(milliseconds));
  const server = createServer(
    // A request that does not arrive in time gets a 408; Node checks every second.
    {
      requestTimeout: arrival,
      headersTimeout: Math.min(arrival, 20_000),
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 65_000,
      noDelay: true,
    },
    withoutFloods(listener),
  );
  const sockets = new Set<Socket>();
  openSockets.set(server, sockets);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done, fail) => {
    server.once('error', (error) =>
      fail(new UserError(`Cannot listen on ${shownHost(host)}:${port}: ${listenProblem(error)}`)),
    );
    server.listen({ host, port, backlog: 4096 }, done);
  });
  return server;
}

/**
 * Closes a connection that asks on and on without waiting for answers: Node hands over all requests of a packet at
 * once, a thousand of them in 64 KB, and everyone else would wait for their answers.
 */
function withoutFloods(listener: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    if (socket.destroyed) return;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > mostUnanswered) {
      socket.destroy();
      return;
    }
    unanswered.set(socket, count);
    outgoing.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    listener(incoming, outgoing);
  };
}

/**
 * Stops the server. It keeps accepting requests for `drain` seconds, so that those already on their way are
 * answered, and waits `timeout` seconds for their answers.
 */
export async function drained(
  server: HttpServer,
  { drain, timeout }: { readonly drain: number; readonly timeout: number },
): Promise<void> {
  await pause(drain * 1000);
  const closed = new Promise<void>((done) => {
    server.close(() => done());
  });
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Browsers open spare connections, and Node would wait for their first request.
    for (const socket of openSockets.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
  }, 100);
  const tooLong = setTimeout(() => server.closeAllConnections(), timeout * 1000 + 1000);
  await closed;
  clearInterval(idle);
  clearTimeout(tooLong);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, milliseconds);
  });
}

/** Returns the port that a server got; `asked` if it has none any more. */
export function portOf(server: HttpServer, asked: number): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : asked;
}

/** Returns a host as written in URLs, where IPv6 addresses have brackets. */
export function shownHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function listenProblem(error: unknown): string {
  const code = errorCode(error);
  if (code === 'EADDRINUSE') return 'another program uses that port; choose another one';
  if (code === 'EADDRNOTAVAIL') return 'this machine has no such address';
  return fileProblem(error);
}
