// A fake hub to download from, with an empty cache for each test.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPatience } from '@anyclass/files/downloads';
import { afterAll, beforeEach, expect } from 'vitest';
import { testFolder } from '../../files/test/testFolder.js';
import type { RunEvent } from '../src/events/runEvent.js';
import { type DownloadOptions, hubFile } from '../src/hub/download.js';
import type { HubSettings } from '../src/hub/settings.js';
import { fakeHub, sha256 } from './fakeHub.mjs';

export const large = randomBytes(600_000);
export const small = Buffer.from('{"architecture": "resnet18"}\n');
export const wanted = { repository: 'tester/network', revision: 'main', file: 'model.safetensors' };
export const patience = { ...defaultPatience, tries: 4, firstPause: 1, longestPause: 1 };

/** Starts the hub for all tests of a file; settings, options, and events are new for each test. */
export async function downloadBench() {
  const folder = testFolder();
  const hub = await fakeHub({ 'model.safetensors': large, 'small.json': small, 'deep/er/model.bin': large });
  afterAll(async () => {
    await hub.close();
  });
  const fresh = () => {
    const home = mkdtempSync(join(folder, 'home-'));
    const settings: HubSettings = {
      endpoint: hub.state.endpoint,
      token: 'secret-token',
      cache: join(home, 'hub'),
      addressCache: join(home, 'weights'),
      isOffline: false,
    };
    const events: RunEvent[] = [];
    const options: DownloadOptions = { settings, patience, onEvent: (event) => void events.push(event) };
    return { settings, events, options };
  };
  const bench = {
    ...fresh(),
    hub,
    seen: (server: 'hub' | 'storage', method = 'GET') =>
      hub.state.requests.filter((request) => request.server === server && request.method === method),
    /** The files left by an unfinished download. */
    leftovers: () =>
      existsSync(bench.settings.cache)
        ? readdirSync(bench.settings.cache, { recursive: true, encoding: 'utf8' }).filter((name) =>
            /incomplete|lock$/.test(name),
          )
        : [],
    async expectWhole(): Promise<void> {
      const { path } = await hubFile(wanted, bench.options);
      expect(sha256(readFileSync(path))).toBe(sha256(large));
      expect(bench.leftovers()).toEqual([]);
    },
  };
  beforeEach(() => {
    Object.assign(bench, fresh());
    Object.assign(hub.state, { requests: [], bytesSent: 0, failures: [], refusals: [], version: 'first' });
  });
  return bench;
}
