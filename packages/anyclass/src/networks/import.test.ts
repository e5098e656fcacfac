import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

// In a separate process, on the built packages, since other tests' tensors have already loaded libtorch in this one.
test.each(['anyclass/networks', 'anyclass/weights'])('importing %s does not load libtorch', (name) => {
  const program = `
    const { isEngineLoaded } = await import('@anyclass/torch');
    await import('${name}');
    console.log(isEngineLoaded());
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'false\n', stderr: '' });
});
