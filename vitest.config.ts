import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Each needs its own process: three replace modules, one checks that libtorch is not loaded, one measures its own memory.
const isolated = [
  'packages/torch/src/serialization/safetensorsWrite.test.ts',
  'packages/anyclass/src/commands/refits.test.ts',
  'packages/anyclass/src/networks/layers/fusedLogic.test.ts',
  'packages/anyclass/src/inference/onnx/onnxPrediction.test.ts',
  'packages/torch/src/serialization/hostileCheckpoints.test.ts',
];

/** Starts the slowest files first, so that none of them runs alone at the end; vitest itself sorts by file size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      long.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const long = [
  'commands/divided',
  'commands/launched',
  'commands/paper',
  'commands/recommend',
  'commands/tune',
  'commands/workflow',
  'data/readers/damagedLayouts',
  'distributed/distributed',
  'docs/commands',
  'docs/docs',
  'docs/shot',
  'examples/examples',
  'experiments/experiment',
  'export/onnx/networks',
  'networks/networks',
  'recommendation/pilotRounds',
  'serving/hostileStream',
  'serving/limits',
  'serving/serve',
  'src/installed',
  'src/termination',
  'src/process',
  'training/fineTuning',
  'training/killedRuns',
  'training/ranks',
  'training/resumedRuns',
  'tuning/studyProcesses',
  'verify/golden',
];

/** What the projects have in common, except what happens once for both: they would repeat what they inherit. */
const common = {
  // Tests run the TypeScript sources of every package, not their last build.
  resolve: { conditions: ['@anyclass/source'] },
  ssr: { resolve: { conditions: ['@anyclass/source'] } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Pages and processes take their time on a busy machine; who waits for them should not be in a hurry.
    expect: { poll: { timeout: 30_000 } },
    setupFiles: 'setup/leaks.ts',
    // Otherwise OpenMP's threads spin while they wait and slow down the other test files.
    env: { OMP_WAIT_POLICY: 'passive' },
  },
};

export default defineConfig({
  test: {
    // Three files at a time, even on two cores: they spend a quarter of their time waiting for processes, pages and timeouts.
    maxWorkers: Number(process.env['TEST_WORKERS'] ?? 3),
    globalSetup: ['setup/freshBuild.ts', 'setup/temporaryFolder.ts'],
    // TEST_ORDER=random finds files that depend on what ran before them; --sequence.seed repeats an order.
    sequence:
      process.env['TEST_ORDER'] === 'random' ? { shuffle: { files: true } } : { sequencer: LongestFirst },
    projects: [
      {
        ...common,
        test: {
          ...common.test,
          name: 'shared',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/{generate,setup}/*.test.ts',
            '{docs,examples,setup}/*.test.ts',
          ],
          exclude: isolated,
          // Files share three processes; otherwise each would load the modules and libtorch again.
          isolate: false,
        },
      },
      { ...common, test: { ...common.test, name: 'isolated', include: isolated } },
    ],
  },
});
