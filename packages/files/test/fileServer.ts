// A server for one file that can misbehave.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Manner {
  /** Breaks the connection after this many bytes. */
  readonly most?: number;
  /** Goes silent at this byte of the file. */
  readonly stallAt?: number;
  /** A file to send instead of the server's own. */
  readonly of?: Uint8Array;
  /** '' for none. */
  readonly etag?: string;
  readonly ignoresRange?: boolean;
}

export interface FileServer {
  /** Requests since the last reset. */
  readonly requests: IncomingMessage[];
  /** Bytes sent since the last reset. */
  sent: number;
  /** How it answers requests; correctly by default. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  address(path?: string): string;
  send(request: IncomingMessage, response: ServerResponse, manner?: Manner): void;
  reset(): void;
  close(): void;
}

export async function fileServer(content: Uint8Array): Promise<FileServer> {
  const server = createServer((request, response) => {
    files.requests.push(request);
    files.answer(request, response);
  });
  server.listen(0);
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  const files: FileServer = {
    requests: [],
    sent: 0,
    answer: (request, response) => files.send(request, response),
    address: (path = 'file') => `http://localhost:${port}/${path}`,
    send(request, response, manner = {}) {
      files.sent += sendFile(request, response, { of: content, ...manner });
    },
    reset() {
      files.requests.length = 0;
      files.sent = 0;
      files.answer = (request, response) => files.send(request, response);
    },
    close: () => server.close(),
  };
  return files;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { of, etag = '"one"', most, stallAt, ignoresRange }: Manner & { readonly of: Uint8Array },
): number {
  const asked = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const isSame = request.headers['if-range'] === etag && !etag.startsWith('W/');
  const start = isSame && !ignoresRange ? asked : 0;
  const bytes = of.subarray(start);
  response.writeHead(start > 0 ? 206 : 200, {
    'content-length': bytes.length,
    ...(etag && { etag }),
    ...(start > 0 && { 'content-range': `bytes ${start}-${of.length - 1}/${of.length}` }),
  });
  const end = Math.min(
    most ?? bytes.length,
    stallAt === undefined ? bytes.length : Math.max(0, stallAt - start),
  );
  response.write(bytes.subarray(0, end), () => {
    if (end === bytes.length) response.end();
    else if (stallAt === undefined) request.socket.end();
  });
  return end;
}
