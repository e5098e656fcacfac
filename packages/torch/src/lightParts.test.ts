import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test("programs that never touch a tensor can import builds: it loads nothing but files and Node's modules", () => {
  const folder = join(import.meta.dirname, 'builds');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const imported = sources.flatMap((name) =>
    Array.from(
      readFileSync(join(folder, name), 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm),
      ([, from = '']) => from,
    ),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((name) => !/^(?:node:|\.\/|@anyclass\/files$)/.test(name))).toEqual([]);
});
