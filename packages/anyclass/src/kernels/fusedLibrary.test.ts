import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

test("sharp still works after the library is loaded, since it does not bind to libtorch's dependencies", () => {
  const sharp = createRequire(import.meta.url).resolve('sharp');
  const built = resolve(import.meta.dirname, '../../dist/kernels/fusedLibrary.js');
  const program = `
    const { default: sharp } = await import(${JSON.stringify(sharp)});
    const { hasFusedOperator } = await import(${JSON.stringify(built)});
    hasFusedOperator('any_class_loss');
    const image = sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } });
    const png = await image.png().toBuffer();
    await sharp(png).autoOrient().resize(4, 4).webp().toBuffer();
  `;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
