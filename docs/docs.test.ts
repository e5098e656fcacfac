// What the documentation names is there: files and headings behind links, commands and options, and the reference's links.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Command } from '../packages/anyclass/src/commandLine/command.js';
import { optionFields } from '../packages/anyclass/src/commandLine/fields.js';
import { parseOptions } from '../packages/anyclass/src/commandLine/parse.js';
import { commands } from '../packages/anyclass/src/commands/index.js';
import { paperRecipe, recipeNames } from '../packages/anyclass/src/configuration/recipes.js';
import { validateConfiguration } from '../packages/anyclass/src/configuration/validate.js';
import { messageOf } from '../packages/anyclass/src/errors/reasonOf.js';
import { UsageError } from '../packages/anyclass/src/errors/usageError.js';
import { planRuns } from '../packages/anyclass/src/experiments/plan.js';
import type { LossVariant, NetworkVariant } from '../packages/anyclass/src/experiments/variants.js';
import { packageNames } from '../packages/anyclass/test/installation.mjs';
import { shellCommands } from './shellCommands.js';

const root = join(import.meta.dirname, '..');
const pages = [
  '',
  'docs',
  'examples',
  'bench',
  'packages/core',
  'packages/torch',
  'packages/anyclass',
].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md')
    .map((file) => join(folder, file)),
);

test('every link leads to a file and a heading that is there', () => {
  const broken = pages.flatMap((page) =>
    links(read(page))
      .filter((link) => !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('every page of docs is in the index', () => {
  const index = links(read('docs/README.md')).map((link) => link.split('#')[0]);
  const others = readdirSync(join(root, 'docs')).filter(
    (file) => file.endsWith('.md') && file !== 'README.md',
  );
  expect(others.filter((file) => !index.includes(file))).toEqual([]);
});

test('an installation from archives names one of every package that anyclass needs', () => {
  const archives = Array.from(
    read('docs/install.md').matchAll(/\.\/([\w-]+)-[\d.]+\.tgz/g),
    ([, name]) => name,
  );
  const needed = packageNames.map((name) => name.replace('@', '').replace('/', '-'));
  expect(archives.toSorted()).toEqual(needed.toSorted());
});

test('every command line in the documentation has a command and options that exist', () => {
  const flagsOf = new Map(
    commands.map(({ name, options }) => [name, optionFields(options).map(({ flag }) => flag)]),
  );
  const wrong = pages.flatMap((page) =>
    commandLines(read(page)).flatMap(({ line, command, flags }) => {
      const known = flagsOf.get(command);
      if (known === undefined) return [`${page}: no command '${command}' in: ${line}`];
      return flags
        .filter((flag) => !known.includes(flag) && !['--help', '--version'].includes(flag))
        .map((flag) => `${page}: '${command}' has no ${flag} in: ${line}`);
    }),
  );
  expect(wrong).toEqual([]);
});

test('every script and program of the project that the documentation runs is there', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  const wrong = pages.flatMap((page) => [
    ...Array.from(read(page).matchAll(/\bnpm run ([\w:-]+)/g), ([, name = '']) => name)
      .filter((name) => scripts[name] === undefined)
      .map((name) => `${page}: no script '${name}'`),
    ...Array.from(
      read(page).matchAll(/\b(?:node|bash|python3?) ((?:bench|docs|examples|packages|setup)\/[\w./-]+)/g),
      ([, path = '']) => path,
    )
      .filter((path) => !path.includes('NAME') && !isThere(path))
      .map((path) => `${page}: no file '${path}'`),
  ]);
  expect(wrong).toEqual([]);
});

test('messages that troubleshooting quotes are those of the program', () => {
  const sources = ['core', 'torch', 'files', 'anyclass']
    .flatMap((name) =>
      readdirSync(join(root, 'packages', name, 'src'), { recursive: true, withFileTypes: true }),
    )
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
    .replaceAll(/\$\{[^}]*\}/g, '…');
  const quoted = Array.from(
    read('docs/troubleshooting.md').matchAll(/^\*\*`([^`]+)`/gm),
    ([, text = '']) => text,
  );
  const parts = quoted.flatMap((text) => text.split(/\s*…\s*/)).filter((part) => part !== '');
  expect(parts.length).toBeGreaterThan(3);
  expect(parts.filter((part) => !sources.includes(part))).toEqual([]);
});

describe('every command line in a code block', () => {
  const all = pages.flatMap((page) =>
    shellCommands(read(page)).map(({ words, line }) => [page, line, words] as const),
  );

  test('is read by its command, values included', async () => {
    const wrong: string[] = [];
    for (const [page, line, words] of all) {
      const problem = await parsing(words).then(
        () => undefined,
        (error: unknown) => messageOf(error),
      );
      if (problem !== undefined) wrong.push(`${page}: ${line}: ${problem}`);
    }
    expect(all.length).toBeGreaterThan(80);
    expect(wrong).toEqual([]);
  });

  test('that trains sets fields and values that a configuration can have, and no run twice', async () => {
    const wrong: string[] = [];
    let validated = 0;
    for (const [page, line, words] of all) {
      const given = await parsing(words).catch(() => undefined);
      const { config, set, losses, networks } = trainingOptions.parse(given?.options ?? {});
      if (config === undefined) continue;
      const recipe = paperRecipe(config);
      const data = recipe ? `${recipe.dataset}=data` : 'digits';
      // A file of the reader's own is not here; most recipes and files have the same fields.
      const known = recipeNames.includes(config) ? config : 'quick';
      // Classes and splits depend on the data.
      const { 'data.keep': _keep, 'data.splitFolder': _splits, ...fields } = set ?? {};
      const request = { config: known, data, set: fields, losses, networks, seeds: [1], out: 'nowhere' };
      await planRuns(request).then(
        () => validated++,
        (error: unknown) => wrong.push(`${page}: ${line}: ${messageOf(error)}`),
      );
    }
    expect(validated).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });
});

test('configurations that the documentation writes out are valid', () => {
  // In a sentence, or as a block.
  const written = pages.flatMap((page) =>
    Array.from(
      read(page).matchAll(/`(\{ "[^`]*)`|^```json\n([^`]*)^```/gm),
      ([, inline, block = '']) => [page, JSON.parse(inline ?? block)] as const,
    ).filter(([, value]) => 'data' in value && 'network' in value),
  );
  expect(written.map(([page]) => page)).toContain('docs/digits.md');
  for (const [page, { recipe, ...fields }] of written) {
    expect([undefined, ...recipeNames]).toContain(recipe);
    expect(() => validateConfiguration(fields, page)).not.toThrow();
  }
});

const variants = z.array(z.custom<LossVariant>()).optional();
const trainingOptions = z.object({
  config: z.string().optional(),
  set: z.record(z.string(), z.unknown()).optional(),
  losses: variants,
  networks: z.array(z.custom<NetworkVariant>()).optional(),
});

interface Parsed {
  readonly command: Command;
  readonly options: unknown;
}

/** The options of a command line, and of the command that `launch` shares among processes. */
async function parsing([name = '', ...words]: readonly string[]): Promise<Parsed> {
  const command = commands.find((each) => each.name === name);
  if (!command) throw new UsageError(`no command '${name}'`);
  const own = words.filter((word) => word !== '--debug');
  const options = parseOptions(command, own);
  const inner = z.object({ words: z.array(z.string()) }).safeParse(options);
  return name === 'launch' && inner.success ? parsing(inner.data.words) : { command, options };
}

const reference = join(root, 'docs/reference');
const typedoc = join(reference, 'node_modules/typedoc/bin/typedoc');

test.skipIf(!existsSync(typedoc))('the reference has no broken links', { timeout: 180_000 }, () => {
  const given = [typedoc, '--emit', 'none', '--logLevel', 'Warn'];
  expect(execFileSync(process.execPath, given, { cwd: reference, encoding: 'utf8' })).toBe('');
});

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Whether a program is there, or what it is built from. */
function isThere(path: string): boolean {
  const sources = ['/', '/src/'].map((folder) => path.replace('/dist/', folder).replace(/\.js$/, '.ts'));
  return [path, ...sources].some((each) => existsSync(join(root, each)));
}

/** Targets of links within the project. */
function links(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^https?:/.test(target));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(root, join(root, dirname(page), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || headings(read(target)).includes(anchor);
}

/** The anchors that GitHub gives to headings. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

/** Lines of code blocks that call the program, and such code in the text. */
function commandLines(text: string): { line: string; command: string; flags: string[] }[] {
  const blocks = [...text.matchAll(/```(?:bash|sh|console)?\n([\s\S]*?)```/g)].flatMap(([, block]) =>
    block!.replace(/\\\n\s*/g, ' ').split('\n'),
  );
  const inline = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`(anyclass [^`]+)`/g)].map(
    ([, code]) => code!,
  );
  return [...blocks, ...inline].flatMap((line) => {
    // What launch runs is a command with options of its own.
    const call =
      /(?:^|\s|\$ )(?:npx )?anyclass (?:launch (?:--[a-z-]+ \S+ )+)?([a-z]+)((?:\s[^#|;&]*)?)/.exec(line);
    if (!call) return [];
    const flags = [...call[2]!.matchAll(/(?:^|\s)(--[a-z][\w-]*)/g)].map(([, flag]) => flag!);
    return [{ line, command: call[1]!, flags }];
  });
}
