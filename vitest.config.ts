import { readFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

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

/** Files that take longest begin, so that none of them is left alone at the end; vitest itself goes by the size of a file. */
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
  'docs/docs',
  'docs/shot',
  'examples/examples',
  'experiments/experiment',
  'export/onnx/networks',
  'networks/networks',
  'recommendation/pilotRounds',
  'serving/limits',
  'serving/serve',
  'src/installed',
  'src/process',
  'training/fineTuning',
  'training/killedRuns',
  'training/ranks',
  'training/resumedRuns',
  'tuning/studyProcesses',
  'verify/golden',
];

export default defineConfig({
  // Tests run the TypeScript sources of every package, not their last build.
  resolve: { conditions: ['@anyclass/source'] },
  ssr: { resolve: { conditions: ['@anyclass/source'] } },
  test: {
    // Three files at a time, also on two cores: a quarter of their time they wait for processes, pages and timeouts.
    maxWorkers: 3,
    testTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
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
          // Files take turns in three processes: each would otherwise load the modules and libtorch again.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
  },
});
