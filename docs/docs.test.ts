// What the documentation names is there: files and headings behind links, commands and options, and the reference's links.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { optionFields } from '../packages/anyclass/src/commandLine/fields.js';
import { commands } from '../packages/anyclass/src/commands/index.js';

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

const reference = join(root, 'docs/reference');
const typedoc = join(reference, 'node_modules/typedoc/bin/typedoc');

test.skipIf(!existsSync(typedoc))('the reference has no broken links', { timeout: 180_000 }, () => {
  const given = [typedoc, '--emit', 'none', '--logLevel', 'Warn'];
  expect(execFileSync(process.execPath, given, { cwd: reference, encoding: 'utf8' })).toBe('');
});

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
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
