// A client in its own process: it sends the same request repeatedly and measures the answers. The request's bytes are built once, and of answers only
// the lengths are parsed, since the client shares the server's cores. (autocannon sends a second's requests as fast as answers
// come, all at the start of that second.)
//
//   node client.js '{"url": …, "connections": 32, "seconds": 8}'            as fast as the answers come
//   node client.js '{"url": …, "connections": 256, "seconds": 8, "rate": 900}'   evenly spaced, whether or not answers arrive

import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Load, type Measured, quantile } from './load.js';

const load: Load & { readonly url: string } = JSON.parse(process.argv[2] ?? '{}');
const { url, connections, seconds, rate, file } = load;
const { hostname, port, pathname } = new URL(url);
const body = file === undefined ? undefined : readFileSync(file);
const words = [
  `${body ? 'POST' : 'GET'} ${pathname} HTTP/1.1`,
  `Host: ${hostname}:${port}`,
  ...(body ? ['Content-Type: image/jpeg', `Content-Length: ${body.length}`] : []),
];
const request = Buffer.concat([Buffer.from(`${words.join('\r\n')}\r\n\r\n`), body ?? Buffer.alloc(0)]);

const good: number[] = [];
const rejected: number[] = [];
const idle: Connection[] = [];
let failures = 0;
let unsent = 0;
let isOver = false;
let awaited = 0;
let lastAnswer = 0;

interface Connection {
  send(): void;
  end(): void;
}

const start = performance.now();
const opened = Array.from({ length: connections }, open);
if (rate !== undefined) spaced(rate);
setTimeout(stop, seconds * 1000);

function open(): Connection {
  let socket: Socket;
  let sentAt = 0;
  let head = '';
  let missing = -1;
  let status = 0;
  let isFree = true;
  const free = () => {
    isFree = true;
    if (rate !== undefined) idle.push(connection);
    else if (!isOver) connection.send();
  };
  const fail = () => {
    if (isOver && isFree) return;
    socket.destroy();
    dial();
    if (isFree) return;
    failures += 1;
    awaited -= 1;
    if (isOver && awaited === 0) finish();
    else free();
  };
  const done = () => {
    lastAnswer = performance.now();
    const took = lastAnswer - sentAt;
    awaited -= 1;
    if (status === 200) good.push(took);
    else if (status === 429) rejected.push(took);
    else failures += 1;
    missing = -1;
    head = '';
    if (isOver && awaited === 0) finish();
    else free();
  };
  const onData = (data: Buffer) => {
    if (missing < 0) {
      head += data.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`);
      status = Number(head.slice(9, 12));
      missing = Number(length) - (head.length - end - 4);
    } else missing -= data.length;
    if (missing === 0) done();
  };
  const dial = () => {
    socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on('data', onData).on('error', fail).on('end', fail);
  };
  const connection: Connection = {
    send() {
      isFree = false;
      awaited += 1;
      sentAt = performance.now();
      socket.write(request);
    },
    end: () => socket.destroy(),
  };
  dial();
  free();
  return connection;
}

/** Sends requests at their scheduled times. If no connection is free, the client is the bottleneck, and it says so. */
function spaced(perSecond: number): void {
  let sent = 0;
  const tick = () => {
    if (isOver) return;
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond);
    for (; sent < due; sent++) {
      const connection = idle.shift();
      if (connection) connection.send();
      else unsent += 1;
    }
    setTimeout(tick, 1);
  };
  tick();
}

/** Waits for every answer: a slow model answers a batch every few seconds, and a fixed window would cut one off. */
function stop(): void {
  isOver = true;
  if (awaited === 0) finish();
}

function finish(): void {
  for (const connection of opened) connection.end();
  const elapsed = (lastAnswer - start) / 1000;
  good.sort((a, b) => a - b);
  rejected.sort((a, b) => a - b);
  const { user, system } = process.cpuUsage();
  const measured: Measured = {
    goodput: good.length / elapsed,
    p50: quantile(good, 0.5),
    p99: quantile(good, 0.99),
    answers: good.length,
    rejections: rejected.length,
    rejectionP50: quantile(rejected, 0.5),
    rejectionP99: quantile(rejected, 0.99),
    failures,
    unsent,
    processor: (user + system) / 1000,
  };
  console.log(JSON.stringify(measured));
}
