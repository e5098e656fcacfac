import { readFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';

// Each needs a process of its own: the first replaces a module of Node, the others check that libtorch is not loaded.
const isolated = [
  'packages/torch/src/serialization/safetensorsWrite.test.ts',
  'packages/anyclass/src/inference/onnx/onnxPrediction.test.ts',
];

/** Linux's folder in memory where there is room, since tests write thousands of files and wait for the disk; programs run in it. */
function temporaryFolder(): string {
  if (process.platform !== 'linux' || freemem() < 8 * 2 ** 30) return tmpdir();
  const [, options = 'noexec'] =
    /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
  return options.split(',').includes('noexec') ? tmpdir() : '/dev/shm';
}

export default defineConfig({
  // Tests run the TypeScript sources of every package, not their last build.
  resolve: { conditions: ['@anyclass/source'] },
  ssr: { resolve: { conditions: ['@anyclass/source'] } },
  test: {
    // Each file computes with all cores; two at a time on a small machine.
    maxWorkers: 2,
    testTimeout: 60_000,
    // OpenMP's threads would spin while they wait, and keep the other test file's from its core.
    env: { OMP_WAIT_POLICY: 'passive', TMPDIR: temporaryFolder() },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/{generate,setup}/*.test.ts',
            '{docs,examples}/*.test.ts',
          ],
          exclude: isolated,
          // Files take turns in two processes: each would otherwise load the modules and libtorch again.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
  },
});
