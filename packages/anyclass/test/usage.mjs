// Uses an installed anyclass as a user would.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './installation.mjs';

/** A training that takes seconds. */
const tiny = {
  data: { dataset: 'digits', digits: { scenes: { train: 64, validation: 32, test: 32 } } },
  network: { name: 'tresnet-s', inputSize: 32 },
  loss: { name: 'any-bce' },
  epochs: 1,
};

/** An image of 8 x 8 pixels. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQImWOoaOrBihiGlgQAFAJhgRY58n8AAAAASUVORK5CYII=',
  'base64',
);

/**
 * Sets up, trains, exports a model and serves it.
 *
 * @param {string} project a folder in which anyclass is installed
 * @param {string[]} node the command line of Node
 * @param {NodeJS.ProcessEnv} [environment] added to the process's own
 * @returns {Promise<string>} what went wrong; '' if nothing did
 */
export async function useInstalled(project, node = ['node'], environment = {}) {
  const anyclass = [...node, join('node_modules', 'anyclass', 'bin/anyclass.js')];
  writeFileSync(join(project, 'tiny.json'), JSON.stringify(tiny));
  for (const words of [
    ['setup'],
    ['doctor'],
    ['train', 'tiny.json', '--run', 'run'],
    ['export', 'run', '--out', 'model.onnx'],
  ]) {
    const { status, stdout, stderr } = run([...anyclass, ...words], project, environment);
    if (status !== 0) return `anyclass ${words.join(' ')}: ${stdout}${stderr}`;
  }
  return await serve([...anyclass, 'serve', 'run', '--port', '0'], project, environment);
}

/**
 * Starts a server, sends it an image, and ends it.
 *
 * @param {string[]} words
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} environment
 */
async function serve([program = '', ...parameters], folder, environment) {
  const server = spawn(program, parameters, { cwd: folder, env: { ...process.env, ...environment } });
  let said = '';
  /** @type {Promise<string>} */
  const address = new Promise((resolve, reject) => {
    const hear = (/** @type {Buffer} */ text) => {
      said += text;
      const [, url] = /Serving at (\S+)/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`it exited with code ${code}`)));
  });
  try {
    const response = await fetch(`${await address}/v1/predict`, {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: png,
    });
    const text = await response.text();
    return response.ok && text.includes('"probabilities"')
      ? ''
      : `serve answered ${response.status}: ${text}`;
  } catch (error) {
    return `serve: ${error instanceof Error ? error.message : error}\n${said}`;
  } finally {
    server.kill('SIGTERM');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  }
}
