import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import type { Arrived } from '../../web/webApp.js';
import { problemDocument } from '../api/schemas.js';
import { createMetrics } from '../operation/metrics.js';
import { createAdmission, type Ticket } from '../requests/admission.js';
import { createOverflow } from './overflow.js';

let server: Server;
afterEach(() => {
  vi.useRealTimers();
  server.close();
});

/** Starts a server whose only place in the queue is taken. */
async function fullServer({ imagesPerSecond = 0 } = {}) {
  const admission = createAdmission({ images: 1, bytes: 1e6 });
  admission.answered(imagesPerSecond);
  const metrics = createMetrics(admission);
  const lines: { readonly message: string; readonly fields: object }[] = [];
  const tell = (message: string, fields: object = {}) => void lines.push({ message, fields });
  const log = { info: tell, warn: tell, error: tell };
  const admitted: Arrived[] = [];
  const ticket: Ticket = admission.enter(1);
  ticket.setImages(1);
  const overflow = createOverflow({ admission, metrics, log, isDraining: false }, (arrived) => {
    admission.enter(1).setImages(1);
    admitted.push(arrived);
    arrived.outgoing.end('admitted');
  });
  server = createServer((incoming, outgoing) =>
    overflow.refuse({ incoming, outgoing, arrivedAt: performance.now() }),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, overflow, metrics, lines, admitted, ticket };
}

const ask = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, { method: 'POST', body: 'x'.repeat(3000), ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test('a refusal says why, when to retry, and for which request', async () => {
  const { url } = await fullServer();
  const { status, headers, text } = await ask(url, { headers: { 'x-request-id': 'mine-1' } });
  expect(status).toBe(429);
  expect(headers.get('x-request-id')).toBe('mine-1');
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const problem = problemDocument.parse(JSON.parse(text));
  expect(problem).toMatchObject({ type: '/docs#problem-queue-full', requestId: 'mine-1' });
  expect(problem.detail).toContain('1 of at most 1 images');
});

test('every refusal is counted, and the log has one line a second for them all', async () => {
  const { url, metrics, lines } = await fullServer();
  const start = performance.now();
  await Promise.all(Array.from({ length: 50 }, () => ask(url)));
  const text = await metrics.text();
  expect(text).toContain('anyclass_rejections_total{reason="queue-full"} 50');
  expect(text).toContain('anyclass_requests_total{route="/v1/predict",method="POST",status="429"} 50');
  const refused = () => lines.reduce((sum, { fields }) => sum + Number(Reflect.get(fields, 'refused')), 0);
  await expect.poll(refused).toBe(50);
  expect(lines.length).toBeLessThanOrEqual(Math.ceil((performance.now() - start) / 1000));
  for (const { message } of lines) expect(message).toBe('queue full');
});

/** Lets a second pass without a refusal, and then time only through `vi.advanceTimersByTime`. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  vi.advanceTimersByTime(1000);
}

/** Takes one millisecond of the fake clock to write. */
class SlowResponse extends ServerResponse {
  override writeHead(status: number): this {
    vi.advanceTimersByTime(1);
    return super.writeHead(status);
  }
}

/**
 * Creates a request that has arrived completely, and a function that returns its status once it is answered.
 */
function slowRequest(): { readonly arrived: Arrived; readonly status: () => number | undefined } {
  const incoming = new IncomingMessage(new Socket());
  incoming.complete = true;
  const outgoing = new SlowResponse(incoming);
  return {
    arrived: { incoming, outgoing, arrivedAt: performance.now() },
    status: () => (outgoing.headersSent ? outgoing.statusCode : undefined),
  };
}

test('no more requests wait than could be admitted in a quarter of a second', async () => {
  const { overflow } = await fullServer({ imagesPerSecond: 16 });
  stopClock();
  const requests = Array.from({ length: 30 }, slowRequest);
  for (const { arrived } of requests) overflow.refuse(arrived);
  const waiting = requests.filter(({ status }) => status() === undefined);
  expect(waiting.length).toBeGreaterThan(0);
  expect(waiting.length).toBeLessThanOrEqual(4);
  expect(requests.at(-1)?.status()).toBe(429);
});

test('in a flood, some requests are refused at once and the others wait; the oldest whose client is still there is admitted when there is room, and those that wait too long are refused', async () => {
  const { overflow, metrics, admitted, ticket } = await fullServer({ imagesPerSecond: 1000 });
  stopClock();
  const requests = Array.from({ length: 30 }, slowRequest);
  for (const { arrived } of requests) overflow.refuse(arrived);
  const waiting = requests.filter(({ status }) => status() === undefined);
  expect(waiting.length).toBeGreaterThan(10);
  expect(waiting.length).toBeLessThan(28);
  expect(waiting).toEqual(requests.slice(-waiting.length));
  waiting[0]?.arrived.outgoing.destroy(); // its client left
  ticket.leave();
  expect(admitted).toEqual([waiting[1]?.arrived]);
  vi.advanceTimersByTime(200);
  expect(waiting.slice(2).every(({ status }) => status() === undefined)).toBe(true);
  vi.advanceTimersByTime(100);
  expect(waiting.slice(2).every(({ status }) => status() === 429)).toBe(true);
  expect(waiting.slice(0, 2).map(({ status }) => status())).toEqual([undefined, 200]);
  expect(await metrics.text()).toContain('anyclass_rejections_total{reason="client-left"} 1');
});
