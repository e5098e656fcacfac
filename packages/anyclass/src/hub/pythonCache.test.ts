import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { fakeHub } from '../../test/fakeHub.mjs';
import { verifyHubFile } from './cacheCare.js';
import { hubFile } from './download.js';
import { hubSettings } from './settings.js';

// PEER_PYTHON: a Python that has huggingface_hub, if python3 does not.
const python = process.env['PEER_PYTHON'] ?? 'python3';
const peer = resolve(import.meta.dirname, '../../../../bench/fixtures/weights/hub_peer.py');
const isMissing = spawnSync(python, ['-c', 'import huggingface_hub']).status !== 0;

const folder = testFolder();
const files = { 'model.safetensors': randomBytes(300_000), 'config.json': Buffer.from('{}\n') };
const hub = await fakeHub(files);
afterAll(async () => {
  await hub.close();
});

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'));
});
const environment = (offline: boolean) => ({
  HF_HOME: home,
  HF_ENDPOINT: hub.state.endpoint,
  HF_HUB_OFFLINE: offline ? '1' : '0',
  HF_HUB_DISABLE_TELEMETRY: '1',
});

async function inPython(file: string, offline: boolean) {
  const env = { ...process.env, ...environment(offline) };
  const { stdout } = await promisify(execFile)(python, [peer, 'tester/network', file], { env });
  return JSON.parse(stdout);
}

const named = (file: string) => ({ repository: 'tester/network', revision: 'main', file });

describe.skipIf(isMissing)('Python’s huggingface_hub (needs it in PEER_PYTHON or python3)', () => {
  test('reads our cache offline and finds nothing wrong with it', async () => {
    const settings = hubSettings(environment(false));
    const ours = [];
    for (const file of Object.keys(files)) ours.push(await hubFile(named(file), { settings }));
    for (const [i, [file, content]] of Object.entries(files).entries()) {
      const { path, warnings, repositories } = await inPython(file, true);
      expect(path).toBe(ours[i]!.path);
      expect(readFileSync(path).equals(content)).toBe(true);
      expect(warnings).toEqual([]);
      expect(repositories).toEqual({ 'tester/network': ['config.json', 'model.safetensors'] });
    }
  }, 60_000);

  test('writes a cache that we read and verify offline', async () => {
    const paths = [];
    for (const file of Object.keys(files)) paths.push((await inPython(file, false)).path);
    const settings = hubSettings(environment(true));
    for (const [i, [file, content]] of Object.entries(files).entries()) {
      const { path } = await hubFile(named(file), { settings });
      expect(path).toBe(paths[i]);
      expect(readFileSync(path).equals(content)).toBe(true);
      expect(await verifyHubFile(settings, named(file))).toMatchObject({ ok: true });
    }
  }, 60_000);

  test('transfers nothing that we already have, and vice versa', async () => {
    const settings = hubSettings(environment(false));
    await hubFile(named('model.safetensors'), { settings });
    hub.state.bytesSent = 0;
    await inPython('model.safetensors', false);
    await hubFile(named('model.safetensors'), { settings, refresh: true });
    expect(hub.state.bytesSent).toBe(0);
  }, 60_000);
});
