// Downloads that break, are damaged, or are interrupted, and are retried.

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
  test('a download resumes where the connection broke, for this version of the file', async () => {
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

  test('if the server sends everything instead of a part, the download starts over', async () => {
    hub.state.failures.push('reset', 'all');
    await expectWhole();
  });

  test('if the server refuses the range or sends a different one, the download starts over', async () => {
    hub.state.failures.push('reset', '416');
    await expectWhole();
    rmSync(bench.settings.cache, { recursive: true });
    hub.state.failures.push('reset', 'shifted');
    await expectWhole();
  });

  test('if the version changes in between, the download starts over', async () => {
    hub.state.failures.push('reset', 'changed');
    await expectWhole();
    expect(seen('storage').map(({ headers }) => headers['if-range'])).toEqual([undefined, '"first"']);
  });

  test('damage to a partial file is detected, and the download starts over once', async () => {
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow();
    const partial = `${blobPath(bench.settings.cache, wanted.repository, sha256(large))}.anyclass.incomplete`;
    const bytes = readFileSync(partial);
    writeFileSync(partial, bytes.fill(0, 100, 200));
    await expectWhole();
    expect(JSON.stringify(bench.events)).toContain('starting over');
  });

  test('a partial file that is too long or lacks a record of its version starts over', async () => {
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

  test('a partial file that is already complete is only verified', async () => {
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

describe('retrying', () => {
  test('after 429 with Retry-After, after 500, and after a busy first server', async () => {
    hub.state.failures.push('429', '500');
    hub.state.refusals.push(503, 429);
    await expectWhole();
    expect(bench.events.filter(({ type }) => type === 'note').length).toBe(4);
  });

  test('stops after several attempts without progress and gives the reason', async () => {
    hub.state.failures.push('500', '500', '500', '500', '500');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(
      /model\.safetensors.*answered 500.*tried 4 times/,
    );
    hub.state.failures = Array<'reset'>(8).fill('reset'); // each of them brings some bytes
    await expectWhole();
  });

  test('a connection that goes silent is dropped and retried', async () => {
    hub.state.failures.push('silent');
    bench.options = { ...bench.options, patience: { ...patience, silence: 200 } };
    await expectWhole();
    expect(JSON.stringify(bench.events)).toContain('silent');
  });

  test('a closed port gets a readable message', async () => {
    bench.options = { ...bench.options, settings: { ...bench.settings, endpoint: 'http://127.0.0.1:9' } };
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(
      /127\.0\.0\.1:9 cannot be reached.*tried 4 times/,
    );
  });

  test('refused access says what to set and is not retried', async () => {
    hub.state.refusals.push(401);
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(/401.*HF_TOKEN/);
    expect(hub.state.requests.length).toBe(1);
  });
});

test('an interrupted download keeps what arrived and resumes from there', async () => {
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
