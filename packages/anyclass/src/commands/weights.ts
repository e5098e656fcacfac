import { statSync } from 'node:fs';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { interruptible } from '../commandLine/interruption.js';
import type { Terminal } from '../commandLine/terminal.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { networkNames } from '../networks/catalog.js';
import { findWeights } from '../networks/weights/findWeights.js';
import {
  type ListedWeights,
  listWeights,
  removeWeights,
  verifyWeights,
} from '../networks/weights/storedWeights.js';
import { textTable } from '../tables/index.js';
import { megabytes } from '../tables/megabytes.js';

export const weights = command({
  name: 'weights',
  summary: 'List, download, verify and remove pretrained weights',
  positionals: [
    { field: 'action', placeholder: 'list|pull|verify|remove' },
    { field: 'names', placeholder: 'NAME…', rest: true },
  ],
  examples: [
    [
      'anyclass weights list --network tresnet-l',
      'the weights published for a network, and those on this machine',
    ],
    [
      'anyclass weights pull timm/tresnet_l.miil_in1k',
      'download before training; if interrupted, the next pull resumes',
    ],
    ['anyclass weights pull hf:timm/resnet18.a1_in1k@main', 'from any repository on the Hugging Face Hub'],
    ['anyclass weights verify', 'rehash everything on this machine; exit code 1 if anything is damaged'],
  ],
  options: z.object({
    action: z
      .enum(['list', 'pull', 'verify', 'remove'])
      .describe(
        'list: show available weights; pull: download; verify: rehash; remove: delete from the cache',
      ),
    names: z
      .array(z.string())
      .default([])
      .describe(
        'names as in network.weights; verify without names checks all published weights on this machine',
      ),
    network: z
      .enum(networkNames)
      .optional()
      .describe('list: only weights of this network')
      .meta({ placeholder: 'NAME' }),
    cached: z.boolean().default(false).describe('list: only weights on this machine'),
    json: z.boolean().default(false).describe('print JSON'),
  }),
  async run({ action, names, network, cached, json }, terminal) {
    if (action === 'list' && names.length > 0)
      throw new UsageError(`'weights list' does not take '${names[0]}'`);
    if (action !== 'list' && (network !== undefined || cached)) {
      throw new UsageError(`applies only to 'weights list'`, cached ? 'cached' : 'network');
    }
    if ((action === 'pull' || action === 'remove') && names.length === 0) {
      throw new UsageError(`'weights ${action}' needs names; 'anyclass weights list' shows them`);
    }
    const print = (value: unknown, text: string) =>
      terminal.print(json ? JSON.stringify(value, null, 2) : text);
    switch (action) {
      case 'list':
        return listed(print, { network, cached });
      case 'pull':
        return await pulled(names, print, terminal);
      case 'verify':
        return await verified(names, print, terminal);
      case 'remove':
        return await removed(names, print);
    }
  },
});

type Print = (value: unknown, text: string) => void;

function listed(
  print: Print,
  { network, cached }: { readonly network: string | undefined; readonly cached: boolean },
): ListedWeights[] {
  const shown = listWeights().filter(
    (entry) => (network === undefined || entry.network === network) && (!cached || entry.cached),
  );
  const table = {
    title: '',
    columns: [
      { title: 'name', kind: 'text' },
      { title: 'network', kind: 'text' },
      { title: 'pixels', kind: 'count' },
      { title: 'classes', kind: 'count' },
      { title: 'license', kind: 'text' },
      { title: 'on this machine', kind: 'text', align: 'right' },
    ] as const,
    rows: shown.map((entry) => [
      entry.name,
      entry.network,
      entry.inputSize,
      entry.classes,
      licenseText(entry.license),
      entry.cached ? megabytes(entry.cached.bytes) : '',
    ]),
  };
  print(shown, shown.length === 0 ? 'none' : textTable(table));
  return shown;
}

/** Shortens a license given as a URL to the first two parts of its path. */
function licenseText(license = ''): string {
  return URL.canParse(license) ? new URL(license).pathname.split('/').slice(1, 3).join('/') : license;
}

async function pulled(names: readonly string[], print: Print, terminal: Terminal) {
  using interruption = interruptible(terminal, 'Stopping; press Ctrl-C again to quit immediately');
  const { signal } = interruption;
  const results = [];
  for (const name of names) {
    const { path, commit } = await findWeights(name, { refresh: true, onEvent: terminal.onEvent, signal });
    results.push({ name, path, bytes: statSync(path).size, ...(commit !== undefined && { commit }) });
  }
  print(results, results.map(({ path, bytes }) => `${path}: ${megabytes(bytes)}`).join('\n'));
  return results;
}

async function verified(names: readonly string[], print: Print, terminal: Terminal) {
  const chosen =
    names.length > 0 ? names : listWeights().flatMap(({ name, cached }) => (cached ? [name] : []));
  const results = [];
  for (const [i, name] of chosen.entries()) {
    terminal.onEvent({
      type: 'progress',
      task: 'verifying',
      done: i,
      total: chosen.length,
      unit: 'files',
      remark: name,
    });
    results.push({ name, ...(await verifyWeights(name)) });
  }
  const lines = results.map(
    ({ name, ok, algorithm, found }) => `${name}: ${ok ? 'ok' : 'DAMAGED'}, ${algorithm} ${found}`,
  );
  print(results, lines.length === 0 ? 'no published weights on this machine' : lines.join('\n'));
  const damaged = results.filter(({ ok }) => !ok);
  if (damaged.length > 0) {
    const files = damaged.map(
      ({ name, path, expected, found }) => `${name}: ${path} hashes to ${found}; expected ${expected}`,
    );
    throw new UserError(`${files.join('\n')}\nRemove and pull them again`);
  }
  return results;
}

interface RemovedWeights {
  readonly name: string;
  /** Number of bytes freed; null if there was nothing to remove. */
  readonly bytes: number | null;
}

async function removed(names: readonly string[], print: Print) {
  const results: RemovedWeights[] = [];
  for (const name of names) results.push({ name, bytes: (await removeWeights(name)) ?? null });
  const text = ({ name, bytes }: RemovedWeights) =>
    bytes === null ? `${name}: not on this machine` : `${name}: removed, ${megabytes(bytes)} freed`;
  print(results, results.map(text).join('\n'));
  return results;
}
