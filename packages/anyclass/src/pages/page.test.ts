import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shades } from '@anyclass/kit';
import { expect, test } from 'vitest';
import { playgroundPage } from '../playground/playgroundPage.js';
import { tableBlock } from './blocks.js';
import { page } from './page.js';

/** Returns the scripts that the page's policy allows, and the hashes of those in the page. */
function scriptsOf(html: string): { allowed: string | undefined; hashes: string[] } {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
  const scripts = Array.from(html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g), ([, text = '']) => text);
  return {
    allowed: /script-src ([^;]*)/.exec(policy)?.[1],
    hashes: scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`),
  };
}

test.each([
  ['a report', async () => page({ kind: 'runs', name: 'title', head: ['<p>text</p>'], sections: [] })],
  ['the playground', playgroundPage],
])('%s may run only its own script and make no requests', async (_, make) => {
  const html = await make();
  const { allowed, hashes } = scriptsOf(html);
  expect(hashes.length).toBe(1);
  expect(allowed).toBe(hashes.join(' '));
  expect(html).toContain("default-src 'none'");
});

test('bundled pages have the colors of the kit', () => {
  const sheet = readFileSync(join(import.meta.dirname, 'colors.css'), 'utf8');
  const [light = '', dark = ''] = sheet.split('prefers-color-scheme: dark');
  const kitNames = {
    ground: 'page',
    panel: 'sunk',
    ink: 'ink',
    faint: 'ink-3',
    edge: 'rule-strong',
    accent: 'accent',
    pale: 'clear',
    warning: 'missed-ink',
  } as const;
  for (const [name, shade] of Object.entries(kitNames)) {
    expect(light).toContain(`--${name}: ${shades[shade].light};`);
    expect(dark).toContain(`--${name}: ${shades[shade].dark};`);
  }
});

test('a table of more than 1,000 rows is shortened on a page, and says so', () => {
  const rows = Array.from({ length: 10_000 }, (_, j) => [`class ${j}`, j]);
  const columns = [
    { title: 'class', kind: 'text' },
    { title: 'images', kind: 'count' },
  ] as const;
  const html = tableBlock({ name: 'classes', table: { title: '', columns, rows, note: 'Of test.' } });
  expect(html).toContain('class 999<');
  expect(html).not.toContain('class 1000');
  expect(html).toMatch(/Of test\. Only the first 1,000 of 10,000 rows are shown; .*JSON/);
  const whole = tableBlock({ name: 'classes', table: { title: '', columns, rows: rows.slice(0, 1000) } });
  expect(whole).not.toContain('are shown');
});
