// The fused loss on a GPU (without one, on the CPU) against core, for all options; one line a kind of batch, with the largest error over them.
//
//   bash bench/gpu/run.sh node bench/dist/gpu/lossCheck.js

import { effectiveNumberWeights, anyClassLoss as reference } from '@anyclass/core';
import {
  captureStep,
  cudaDeviceName,
  type Device,
  type Dtype,
  grad,
  hasCuda,
  type Tensor,
  tensor,
  tidy,
} from '@anyclass/torch';
import { anyClassLoss } from 'anyclass/losses';

const device: Device = hasCuda() ? 'cuda' : 'cpu';
/** A gradient of these types is rounded to 11 or 8 bits, in float16 also to multiples of 2^-24. */
const halfRounding: Partial<Record<Dtype, number>> = { float16: 2 ** -11, bfloat16: 2 ** -8 };
const shapes = [
  [1, 1],
  [256, 17],
  [77, 64],
  [33, 1000],
  [5, 2049],
  [9, 4096],
  [20_000, 24],
] as const;
const kinds: readonly { logits: Dtype; targets: Dtype; unknown: number }[] = [
  { logits: 'float32', targets: 'float32', unknown: 0 },
  { logits: 'float32', targets: 'float32', unknown: 0.2 },
  { logits: 'float32', targets: 'uint8', unknown: 0 },
  { logits: 'float16', targets: 'float32', unknown: 0.2 },
  { logits: 'float16', targets: 'uint8', unknown: 0 },
  { logits: 'bfloat16', targets: 'float32', unknown: 0.2 },
  { logits: 'bfloat16', targets: 'uint8', unknown: 0 },
  { logits: 'float64', targets: 'float64', unknown: 0.2 },
];

console.log(
  `the loss on ${hasCuda() ? cudaDeviceName() : 'the CPU'} against core: errors of rows, loss and gradient, relative to the largest`,
);
let failed = 0;
for (const [rows, classes] of shapes) {
  for (const kind of kinds) {
    const errors = optionsFor(classes, rows * classes > 100_000).map((options) =>
      tidy(() => errorsOf(rows, classes, kind, options)),
    );
    const worst = ['rows', 'loss', 'gradient'].map((_, i) => Math.max(...errors.map((error) => error[i]!)));
    const rounding = halfRounding[kind.logits] ?? 0;
    const ok = worst[0]! < 2e-5 && worst[1]! < 2e-5 && worst[2]! < 2e-5 + rounding;
    if (!ok) failed++;
    const name = `${rows}x${classes} ${kind.logits} logits, ${kind.targets} targets${kind.unknown > 0 ? ', some unknown' : ''}`;
    console.log(
      `${ok ? 'ok    ' : 'FAILED'} ${name}: ${worst.map((error) => error.toExponential(1)).join(', ')}`,
    );
  }
}
checkCapture();
console.log(failed === 0 ? 'all is well' : `${failed} FAILED`);
process.exitCode = failed === 0 ? 0 : 1;

function optionsFor(classes: number, few: boolean) {
  const all = (['bce', 'focal'] as const).flatMap((base) =>
    [0, 1].flatMap((alpha) =>
      [0, 0.02, 1].flatMap((lambda) =>
        [0.5, 2].flatMap((gamma) =>
          (['batch', 'mean', 'sum'] as const).flatMap((reduction) =>
            [false, true].map((balanced) => ({ base, alpha, lambda, gamma, reduction, balanced })),
          ),
        ),
      ),
    ),
  );
  return few ? all.filter((_, i) => i % 7 === classes % 7) : all;
}

function errorsOf(
  rows: number,
  classes: number,
  kind: (typeof kinds)[number],
  { balanced, ...options }: ReturnType<typeof optionsFor>[number],
): number[] {
  const shape = [rows, classes];
  const random = numbers(rows * 31 + classes);
  // Multiples of 1/8 are exact in every float type.
  const z = Float64Array.from({ length: rows * classes }, () => Math.round((random() - 0.6) * 128) / 8);
  const y = z.map(() => (random() < kind.unknown ? Number.NaN : random() < 1.5 / classes ? 1 : 0));
  const counts = Float64Array.from({ length: classes }, (_, j) => 10 + 37 * j);
  const balance = effectiveNumberWeights(counts, 5000);
  const gradient = new Float64Array(z.length);
  const given = { ...options, ...(balanced && { balance }) };
  const expected = reference(z, y, { ...given, classes, gradient });

  const logits = tensor(z, { shape, dtype: kind.logits, device });
  logits.requiresGrad = true;
  const targets = tensor(y, { shape, dtype: kind.targets, device });
  const loss = anyClassLoss(logits, targets, given);
  const [found] = grad([loss], [logits]);
  const foundRows = anyClassLoss(logits, targets, { ...given, reduction: 'none' });
  return [
    largestError(foundRows, expected.rows.losses),
    largestError(loss, [expected.loss]),
    largestError(found!, gradient, kind.logits === 'float16' ? 2 ** -25 : 0),
  ];
}

function largestError(found: Tensor, expected: ArrayLike<number>, allowed = 0): number {
  const values = found.toFloat32Array();
  let error = 0;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    error = Math.max(error, Math.abs(values[i]! - expected[i]!) - allowed);
    largest = Math.max(largest, Math.abs(expected[i]!));
  }
  // Math.max passes a NaN on, which is never below a limit.
  return largest === 0 ? error : error / largest;
}

/** A captured step must give the eager figures, for data that it was not captured with too. */
function checkCapture(): void {
  const step = captureStep((logits, targets) => {
    const z = logits.detach();
    z.requiresGrad = true;
    const loss = anyClassLoss(z, targets, { base: 'focal' });
    return [loss.detach(), grad([loss], [z])[0]!];
  });
  let error = 0;
  for (let call = 0; call < 6; call++) {
    const random = numbers(call);
    const z = Float32Array.from({ length: 256 * 17 }, () => random() * 8 - 4);
    const logits = tensor(z, { shape: [256, 17], device });
    const targets = logits.gt(2).to('uint8');
    const found = step(logits, targets).map((result) => result.toFloat32Array());
    const own = logits.clone();
    own.requiresGrad = true;
    const loss = anyClassLoss(own, targets, { base: 'focal' });
    error = Math.max(
      error,
      largestError(loss.detach(), found[0]!),
      largestError(grad([loss], [own])[0]!, found[1]!),
    );
  }
  if (!(error === 0)) failed++;
  console.log(`${error === 0 ? 'ok    ' : 'FAILED'} captured in a CUDA graph: ${error.toExponential(1)}`);
}

/** Numbers in [0, 1), the same at each run: Marsaglia's xorshift32. */
function numbers(seed: number): () => number {
  let state = (seed * 2654435761 + 1) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
