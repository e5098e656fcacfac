// Downloads that break, are damaged or interrupted on the way, and are tried again.

import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { downloadBench, large, patience, wanted } from '../../test/downloadBench.js';
import { sha256 } from '../../test/fakeHub.mjs';
import type { RunEvent } from '../events/runEvent.js';
import { hubFile } from './download.js';
import { blobPath } from './hubCache.js';

const bench = await downloadBench();
const { expectWhole, hub, leftovers, seen } = bench;

describe('resuming', () => {
  test('a broken connection is gone on with where it broke, for this version of the file', async () => {
    hub.state.failures.push('reset', 'truncate');
    await expectWhole();
    const ranges = seen('storage').map(({ headers }) => [headers.range, headers['if-range']]);
    expect(ranges[0]).toEqual([undefined, undefined]);
    expect(ranges.slice(1)).toEqual([
      [expect.stringMatching(/^bytes=\d+-$/), '"first"'],
      [expect.stringMatching(/^bytes=\d+-$/), '"first"'],
    ]);
    expect(hub.state.bytesSent).toBeLessThan(1.1 * large.length);
  });

  test('a server that sends everything instead of a part is taken from the start', async () => {
    hub.state.failures.push('reset', 'all');
    await expectWhole();
  });

  test('a range that the server does not have, or another one than asked for, starts over', async () => {
    hub.state.failures.push('reset', '416');
    await expectWhole();
    rmSync(bench.settings.cache, { recursive: true });
    hub.state.failures.push('reset', 'shifted');
    await expectWhole();
  });

  test('a version that changed on the way starts over', async () => {
    hub.state.failures.push('reset', 'changed');
    await expectWhole();
    expect(seen('storage').map(({ headers }) => headers['if-range'])).toEqual([undefined, '"first"']);
  });

  test('bytes that were damaged while they waited are found, and start over once', async () => {
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow();
    const partial = `${blobPath(bench.settings.cache, wanted.repository, sha256(large))}.anyclass.incomplete`;
    const bytes = readFileSync(partial);
    writeFileSync(partial, bytes.fill(0, 100, 200));
    await expectWhole();
    expect(JSON.stringify(bench.events)).toContain('starting over');
  });

  test('a partial file without a note of its version, or longer than the file, starts over', async () => {
    const partial = `${blobPath(bench.settings.cache, wanted.repository, sha256(large))}.anyclass.incomplete`;
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow();
    rmSync(`${partial}.json`);
    await expectWhole();
    rmSync(bench.settings.cache, { recursive: true });
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow();
    truncateSync(partial, large.length + 1);
    await expectWhole();
  });

  test('a partial file that was complete already is only verified', async () => {
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow();
    writeFileSync(
      `${blobPath(bench.settings.cache, wanted.repository, sha256(large))}.anyclass.incomplete`,
      large,
    );
    hub.state.requests = [];
    await expectWhole();
    expect(seen('storage')).toEqual([]);
  });
});

describe('trying again', () => {
  test('after 429 with Retry-After, 500 and a first server that is busy', async () => {
    hub.state.failures.push('429', '500');
    hub.state.refusals.push(503, 429);
    await expectWhole();
    expect(bench.events.filter(({ type }) => type === 'note').length).toBe(4);
  });

  test('gives up after some tries without progress, with the reason', async () => {
    hub.state.failures.push('500', '500', '500', '500', '500');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(
      /model\.safetensors.*answered 500.*tried 4 times/,
    );
    hub.state.failures = Array<'reset'>(8).fill('reset'); // each of them brings some bytes
    await expectWhole();
  });

  test('a server that falls silent is given up and asked again', async () => {
    hub.state.failures.push('silent');
    bench.options = { ...bench.options, patience: { ...patience, silence: 200 } };
    await expectWhole();
    expect(JSON.stringify(bench.events)).toContain('silent');
  });

  test('a closed port is told in words', async () => {
    bench.options = { ...bench.options, settings: { ...bench.settings, endpoint: 'http://127.0.0.1:9' } };
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(
      /127\.0\.0\.1:9 cannot be reached.*tried 4 times/,
    );
  });

  test('refused access names what to set, and is not tried again', async () => {
    hub.state.refusals.push(401);
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(/401.*HF_TOKEN/);
    expect(hub.state.requests.length).toBe(1);
  });
});

test('a download that is interrupted leaves what arrived, and goes on from there', async () => {
  const controller = new AbortController();
  hub.state.failures.push('reset');
  const stop = (event: RunEvent) => void (event.type === 'note' && controller.abort());
  await expect(
    hubFile(wanted, { ...bench.options, signal: controller.signal, onEvent: stop }),
  ).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(leftovers().filter((name) => name.endsWith('lock'))).toEqual([]);
  await expectWhole();
  expect(hub.state.bytesSent).toBeLessThan(1.1 * large.length);
});
