// Servers that fail to start, and what a server logs while it runs.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { asBody, picture, post, saveServedModel } from '../../test/servedModels.js';
import { UserError } from '../errors/userError.js';
import type { ServeOptions } from './operation/options.js';
import { serve } from './serve.js';

const folder = testFolder();
const model = join(folder, 'model.safetensors');
beforeAll(() => saveServedModel(model));

const quiet: ServeOptions = { port: 0, device: 'cpu', drain: 0, log: () => {} };

describe('a server', () => {
  test('a port in use, a file that is not a model and a duplicate name are reported', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as AddressInfo;
    await expect(serve([model], { ...quiet, port })).rejects.toThrow('another program uses that port');
    other.close();
    writeFileSync(join(folder, 'text.onnx'), 'text');
    await expect(serve([join(folder, 'text.onnx')], quiet)).rejects.toThrow('text.onnx');
    await expect(serve([join(folder, 'missing')], quiet)).rejects.toThrow('no such model or run');
    await expect(serve([`m=${model}`, `m=${model}`], quiet)).rejects.toThrow("two models are named 'm'");
  });

  test('damaged weights are reported as an error in the file, not in the program', async () => {
    const file = join(folder, 'damaged.safetensors');
    const bytes = readFileSync(model);
    writeFileSync(file, bytes.fill(0, bytes.length / 2));
    const refused = await serve([file], quiet).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect(refused).toHaveProperty('message', expect.stringContaining(`${file}: is damaged`));
  });

  test('a model in the shadow sees the same images, and only the log has its answers', async () => {
    const file = join(folder, 'shadow.jsonl');
    const photo = asBody(await picture(1));
    const shadowing = { ...quiet, logPredictions: file, audit: 1, shadow: [`m=${model}`] };
    {
      await using server = await serve([`m=${model}`], shadowing);
      expect(server.models().map(({ name }) => name)).toEqual(['m']);
      for (let i = 0; i < 3; i++) {
        const answer = await fetch(`${server.url}/v1/predict`, { method: 'POST', body: photo });
        expect(await answer.text()).not.toContain('shadow');
      }
      expect(
        (await fetch(`${server.url}/v1/predict?model=m.shadow`, { method: 'POST', body: photo })).status,
      ).toBe(404);
    }
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(3);
    for (const { shadow, outcome, s, version } of lines)
      expect(shadow).toMatchObject({ model: 'm.shadow', version, outcome, s });
    await expect(serve([`m=${model}`], { ...shadowing, shadow: ['x=y'] })).rejects.toThrow(/no model 'x'/);
    await expect(serve([`m=${model}`], { ...quiet, shadow: ['m=y'] })).rejects.toThrow(
      'shadow needs logPredictions',
    );
  });

  test('drawn images are logged with their probability, kept by hash, and audits need a log', async () => {
    const [file, kept] = [join(folder, 'audits.jsonl'), join(folder, 'kept')];
    const auditing = { ...quiet, logPredictions: file, audit: 0.5, keepAudited: kept };
    const images = await Promise.all(Array.from({ length: 24 }, (_, i) => picture(i)));
    {
      await using server = await serve([`m=${model}`], auditing);
      for (const image of images) await post(`${server.url}/v1/predict`, asBody(image));
    }
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(lines.map(({ id }) => id)).size).toBe(24);
    expect(new Set(lines.map(({ decision }) => JSON.stringify(decision))).size).toBe(1);
    expect(lines.every(({ audit, s }) => audit.q === 0.5 && s >= 0)).toBe(true);
    const drawn = lines.filter(({ audit }) => audit.drawn);
    // 24 coins on one side: once in eight million runs.
    expect(drawn.length).toBeGreaterThan(0);
    expect(drawn.length).toBeLessThan(24);
    expect(readdirSync(kept).sort()).toEqual([...new Set(drawn.map(({ sha256 }) => sha256))].sort());
    await expect(serve([`m=${model}`], { ...quiet, audit: 0.5 })).rejects.toThrow(
      'audit needs logPredictions',
    );
    await expect(
      serve([`m=${model}`], { ...quiet, logPredictions: file, keepAudited: kept }),
    ).rejects.toThrow('keepAudited needs audit');
  });

  test('predictions are appended only to a new file, an empty one, or one with predictions', async () => {
    const file = join(folder, 'some.jsonl');
    const logging = { ...quiet, logPredictions: file };
    writeFileSync(file, '');
    for (let run = 0; run < 2; run++) {
      await using server = await serve([`m=${model}`], logging);
      await post(`${server.url}/v1/predict`, asBody(await picture(2)));
    }
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
    const before = readFileSync(model);
    await expect(serve([`m=${model}`], { ...quiet, logPredictions: model })).rejects.toThrow('other content');
    expect(readFileSync(model).equals(before)).toBe(true);
    writeFileSync(file, '{"time":"yesterday"}\n');
    await expect(serve([`m=${model}`], logging)).rejects.toThrow('other content');
    await expect(serve([`m=${model}`], { ...quiet, logPredictions: '/dev/null' })).rejects.toThrow(
      'not a file',
    );
    await expect(serve([`m=${model}`], { ...quiet, logPredictions: folder })).rejects.toThrow(UserError);
  });

  test('a line that a killed server left unfinished is removed, and one that only lacks its end is ended', async () => {
    const file = join(folder, 'killed.jsonl');
    const logging = { ...quiet, logPredictions: file };
    const photo = asBody(await picture(1));
    const answerOnce = async () => {
      await using server = await serve([`m=${model}`], logging);
      await fetch(`${server.url}/v1/predict`, { method: 'POST', body: photo });
    };
    await answerOnce();
    const [line = ''] = readFileSync(file, 'utf8').split('\n');
    for (const left of [`${line}\n${line.slice(0, 40)}`, line]) {
      writeFileSync(file, left);
      await answerOnce();
      const ids = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((each) => JSON.parse(each).id);
      expect(ids).toEqual([JSON.parse(line).id, expect.any(String)]);
    }
  });

  test('predictions are logged as JSON lines on request', async () => {
    const file = join(folder, 'predictions.jsonl');
    const lines: string[] = [];
    const logging = await serve([`m=${model}`], {
      ...quiet,
      logPredictions: file,
      log: (line) => void lines.push(line),
    });
    const bytes = await picture(2);
    await post(`${logging.url}/v1/predict`, asBody(bytes), { 'x-request-id': 'r' });
    await logging.close();
    const logged = JSON.parse(readFileSync(file, 'utf8'));
    expect(logged).toMatchObject({
      requestId: 'r',
      model: 'm',
      labels: ['crack', 'joint'],
      isNegative: false,
      // The model has fixed thresholds, so its log must not look like that of a promise.
      decision: { promised: false },
    });
    expect(logged.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      'listening',
      'request',
      'draining',
      'stopped',
    ]);
    expect(JSON.parse(lines[1]!)).toMatchObject({
      requestId: 'r',
      status: 200,
      images: 1,
      path: '/v1/predict',
    });
  });
});
