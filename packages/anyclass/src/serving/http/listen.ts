// The HTTP server around the app: its time limits, and how it stops without losing a request.

import { createServer, type Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { errorCode, fileProblem } from '@anyclass/files';
import { UserError } from '../../errors/userError.js';
import { createJsonRequests } from '../bodies/jsonRequests.js';
import type { ServeSettings } from '../operation/options.js';
import type { ServerState } from '../operation/serverState.js';
import { createApp } from './app.js';

const openSockets = new WeakMap<HttpServer, ReadonlySet<Socket>>();

/**
 * Starts listening.
 *
 * @throws UserError if the address is in use
 */
export async function listen(state: ServerState): Promise<HttpServer> {
  const { settings, limits } = state;
  const requests = createJsonRequests(limits.images);
  const server = createServer(
    // A request that does not arrive in time gets a 408; Node checks every second.
    {
      requestTimeout: Math.max(1000, Math.ceil(limits.milliseconds)),
      headersTimeout: Math.min(Math.max(1000, Math.ceil(limits.milliseconds)), 20_000),
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 65_000,
      noDelay: true,
    },
    createApp(state, requests),
  );
  server.once('close', () => void requests.close());
  const sockets = new Set<Socket>();
  openSockets.set(server, sockets);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const { host, port } = settings;
  await new Promise<void>((done, fail) => {
    server.once('error', (error) =>
      fail(new UserError(`Cannot listen on ${shownHost(host)}:${port}: ${listenProblem(error)}`)),
    );
    server.listen({ host, port, backlog: 4096 }, done);
  });
  return server;
}

/**
 * Stops the server. It keeps accepting requests for the drain time, so that those already on their way are
 * answered.
 */
export async function drained(server: HttpServer, { drain, timeout }: ServeSettings): Promise<void> {
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

export function portOf(server: HttpServer, { port }: ServeSettings): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
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
