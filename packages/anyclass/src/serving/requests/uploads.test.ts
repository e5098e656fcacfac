import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAdmission } from './admission.js';
import { createUploads, type Uploads, wholeBody } from './uploads.js';

let uploads: Uploads;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval'] });
  uploads = createUploads({ minRate: 1, slowUploads: 2 });
});
afterEach(() => {
  uploads.close();
  vi.useRealTimers();
});

/** Starts a body; the promise has the whole body, or the kind of problem. */
function start(address = '192.0.2.1') {
  const request = new IncomingMessage(new Socket());
  Object.defineProperty(request.socket, 'remoteAddress', { value: address });
  const ticket = createAdmission({ images: 10, bytes: 1e9 }).enter(0);
  const ended = wholeBody(uploads, request, { ticket, limit: 100_000 }).catch(
    (error: { readonly kind: string }) => error.kind,
  );
  return { request, ended };
}

/** Lets what was pushed arrive. */
const arrive = () => new Promise<void>((done) => setImmediate(done));

test('a body below the minimum rate is given up after five seconds, a faster one is not', async () => {
  const [slow, fast] = [start(), start()];
  slow.request.push('abc');
  fast.request.push('x'.repeat(20_000));
  await arrive();
  vi.advanceTimersByTime(4900);
  slow.request.push('d');
  await arrive();
  vi.advanceTimersByTime(1000);
  expect(await slow.ended).toBe('too-slow');
  fast.request.push(null);
  expect((await fast.ended).length).toBe(20_000);
});

test('of the slow bodies of an address, only the fastest may go on; other addresses are not concerned', async () => {
  const bodies = [300, 100, 200, 400].map((bytes) => {
    const body = start();
    body.request.push('x'.repeat(bytes * 100));
    return body;
  });
  const other = start('192.0.2.2');
  other.request.push('abc');
  await arrive();
  vi.advanceTimersByTime(2600);
  expect(await Promise.all([bodies[1]!.ended, bodies[2]!.ended])).toEqual(['too-slow', 'too-slow']);
  for (const { request } of [bodies[0]!, bodies[3]!, other]) request.push(null);
  expect((await bodies[0]!.ended).length).toBe(30_000);
  expect((await bodies[3]!.ended).length).toBe(40_000);
  expect(String(await other.ended)).toBe('abc');
});

test('a body in parts of one byte is passed on in few parts', async () => {
  const request = new IncomingMessage(new Socket());
  const parts: Buffer[] = [];
  const ticket = createAdmission({ images: 10, bytes: 1e9 }).enter(0);
  const ended = uploads.receive(request, (part) => parts.push(part), { ticket, limit: 1e6 });
  request.on('data', () => {});
  const text = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join('');
  for (const letter of text) request.emit('data', Buffer.from(letter));
  request.emit('data', Buffer.alloc(5000, 65));
  request.emit('end');
  await ended;
  expect(parts.length).toBe(2);
  expect(Buffer.concat(parts).toString()).toBe(text + 'A'.repeat(5000));
});
