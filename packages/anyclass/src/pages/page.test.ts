import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { playgroundPage } from '../playground/playgroundPage.js';
import { page } from './page.js';

/** What the page's policy says of scripts, and the scripts that it holds. */
function scriptsOf(html: string): { allowed: string | undefined; hashes: string[] } {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
  const scripts = Array.from(html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g), ([, text = '']) => text);
  return {
    allowed: /script-src ([^;]*)/.exec(policy)?.[1],
    hashes: scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`),
  };
}

test.each([
  ['a report', async () => page('title', ['<p>text</p>'])],
  ['the playground', playgroundPage],
])('%s may run its own script alone and ask nobody for anything', async (_, make) => {
  const html = await make();
  const { allowed, hashes } = scriptsOf(html);
  expect(hashes.length).toBe(1);
  expect(allowed).toBe(hashes.join(' '));
  expect(html).toContain("default-src 'none'");
});
