import { defineConfig } from 'vitest/config';

// Each needs a process of its own: the first replaces a module of Node, the others check that libtorch is not loaded.
const isolated = [
  'packages/torch/src/serialization/safetensorsWrite.test.ts',
  'packages/anyclass/src/inference/onnx/onnxPrediction.test.ts',
];

export default defineConfig({
  // Tests run the TypeScript sources of every package, not their last build.
  resolve: { conditions: ['@anyclass/source'] },
  ssr: { resolve: { conditions: ['@anyclass/source'] } },
  test: {
    // Each file computes with all cores; two at a time on a small machine.
    maxWorkers: 2,
    testTimeout: 60_000,
    // OpenMP's threads would spin while they wait, and keep the other test file's from its core.
    env: { OMP_WAIT_POLICY: 'passive' },
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
