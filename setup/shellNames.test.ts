import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('what the GPU machine’s script asks of the set-up is there: no compiler sees a name in a shell script', async () => {
  const script = readFileSync(new URL('../bench/gpu/unpack.sh', import.meta.url), 'utf8');
  const asked = [...script.matchAll(/import\('\.\/setup\/javascript\.mjs'\)\.then\(\(m\) => m\.(\w+)/g)];
  expect(asked.length).toBeGreaterThan(0);
  const there = await import('./javascript.mjs');
  for (const [, name] of asked) expect(there).toHaveProperty(String(name));
});
