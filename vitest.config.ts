import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests run the TypeScript sources of every package, not their last build.
  resolve: { conditions: ['@anyclass/source'] },
  ssr: { resolve: { conditions: ['@anyclass/source'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/{generate,setup}/*.test.ts',
      '{docs,examples}/*.test.ts',
    ],
    // Each file computes with all cores; two at a time on a small machine.
    maxWorkers: 2,
    testTimeout: 60_000,
    // OpenMP's threads would spin while they wait, and keep the other test file's from its core.
    env: { OMP_WAIT_POLICY: 'passive' },
  },
});
