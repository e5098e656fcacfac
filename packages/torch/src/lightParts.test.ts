import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What programs that never touch a tensor import, and what each may import besides Node's own modules. */
const lightParts = { files: [], downloads: ['files'], builds: ['files'] } as const;

test.each(Object.entries(lightParts))(
  '%s imports nothing else from this package, and no other package',
  (part, allowed) => {
    const folder = join(import.meta.dirname, part);
    const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    const imported = sources.flatMap((name) =>
      Array.from(
        readFileSync(join(folder, name), 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm),
        ([, from = '']) => from,
      ),
    );
    expect(imported.length).toBeGreaterThan(0);
    const foreign = imported.filter((name) => !/^(?:node:|\.\/)/.test(name));
    expect(foreign.filter((name) => !allowed.some((other) => name === `../${other}/index.js`))).toEqual([]);
  },
);
