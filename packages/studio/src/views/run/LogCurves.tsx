import { countText, shortNumber } from '@anyclass/kit';
import { useMemo } from 'preact/hooks';
import { Curves } from '../../parts/Curves.js';
import { percent } from '../../parts/numbers.js';
import { address, go } from '../../state/address.js';
import type { RunLog } from '../../wire/runs.js';
import { inOrder } from './log.js';

/** Curves by step or by epoch. */
export function LogCurves({ log }: { readonly log: RunLog }) {
  const steps = useMemo(() => inOrder(log.steps), [log]);
  const { epochs } = log;
  const epochAt = useMemo(() => epochs.map(({ epoch }) => epoch), [epochs]);
  const isBySteps = address.value.get('by') !== 'epoch';
  const hasMemory = steps.memory.some((value) => value !== null);
  const hasGpu = steps.gpuMemory.some((value) => value !== null);
  const each = <Key extends keyof (typeof epochs)[number]>(key: Key) => epochs.map((point) => point[key]);
  const megabytes = (bytes: readonly (number | null)[]) =>
    bytes.map((value) => (value === null ? null : value / 2 ** 20));
  const [memory, gpuMemory] = useMemo(() => [megabytes(steps.memory), megabytes(steps.gpuMemory)], [steps]);
  return (
    <>
      <fieldset class="by">
        <legend class="hidden-text">Curves by</legend>
        {(['step', 'epoch'] as const).map((by) => (
          <label key={by}>
            <input
              type="radio"
              name="by"
              checked={isBySteps === (by === 'step')}
              onChange={() => go({ by: by === 'step' ? null : by }, 'replace')}
            />{' '}
            by {by}
          </label>
        ))}
      </fieldset>
      <div class="curve-grid">
        {isBySteps ? (
          <Curves
            title="Training loss"
            at={steps.at}
            curves={[{ name: 'loss', values: steps.loss, color: 'series-1' }]}
            text={shortNumber}
          />
        ) : (
          <Curves
            title="Loss"
            at={epochAt}
            curves={[
              { name: 'training', values: each('trainingLoss'), color: 'series-1' },
              { name: 'validation', values: each('validationLoss'), color: 'series-2', dash: [5, 3] },
            ]}
            text={shortNumber}
          />
        )}
        <Curves
          title="Validation at 0.5, %"
          at={epochAt}
          curves={[
            { name: 'mAP', values: each('mAP'), color: 'series-1' },
            { name: 'F1', values: each('macroF1'), color: 'series-2' },
            { name: 'F1-Neg', values: each('f1Neg'), color: 'series-4', dash: [5, 3] },
            { name: 'false alarms', values: each('falseAlarmRate'), color: 'series-3', dash: [2, 3] },
          ]}
          text={(value) => percent(value)}
        />
        <Curves
          title="Learning rate"
          at={steps.at}
          curves={[{ name: 'rate', values: steps.rate, color: 'series-1' }]}
          text={shortNumber}
        />
        <Curves
          title="Images per second"
          at={isBySteps ? steps.at : epochAt}
          curves={[
            {
              name: 'images',
              values: isBySteps ? steps.imagesPerSecond : each('imagesPerSecond'),
              color: 'series-1',
            },
          ]}
          text={shortNumber}
        />
        <Curves
          title="Time spent waiting for images, %"
          at={steps.at}
          curves={[{ name: 'waiting', values: steps.dataWaitShare, color: 'series-1' }]}
          text={(value) => percent(value)}
        />
        {hasMemory && (
          <Curves
            title={hasGpu ? 'Memory of the process and of its GPU, MB' : 'Memory of the process, MB'}
            at={steps.at}
            curves={[
              { name: hasGpu ? 'process' : 'memory', values: memory, color: 'series-1' },
              ...(hasGpu ? [{ name: 'GPU', values: gpuMemory, color: 'series-2' } as const] : []),
            ]}
            text={countText}
          />
        )}
      </div>
    </>
  );
}
