// The fused loss on a GPU (without one, on the CPU) against core, for all kinds of options; prints one line per kind of batch,
// with its largest error.
//
//   bash bench/gpu/run.sh node bench/dist/gpu/lossCheck.js

import {
  effectiveNumberWeights,
  type LossOptions,
  type ReducedLoss,
  anyClassLoss as reference,
} from '@anyclass/core';
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
/** One case for each kind of kernel. */
const bases: readonly LossOptions[] = [
  { base: 'bce' },
  { base: 'focal' },
  { base: 'focal', gamma: 0.5 },
  { base: 'asl', clip: 0.0625 },
  { base: 'asl', clip: 0.25, gammaPositive: 0, gammaNegative: 1.5 },
  { base: 'asl', clip: 0 },
];
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
  for (const unknown of [0, 0.2]) checkShape(rows, classes, unknown);
}
checkCapture();
checkExtremes();
console.log(failed === 0 ? 'all passed' : `${failed} FAILED`);
process.exitCode = failed === 0 ? 0 : 1;

function checkShape(rows: number, classes: number, unknown: number): void {
  const problem = problemOf(rows, classes, unknown);
  const worst = new Map(kinds.filter((kind) => kind.unknown === unknown).map((kind) => [kind, [0, 0, 0]]));
  for (const options of optionsFor(classes, rows * classes > 100_000)) {
    const gradient = new Float64Array(rows * classes);
    const expected = { ...reference(problem.z, problem.y, { ...options, classes, gradient }), gradient };
    for (const [kind, errors] of worst) {
      tidy(() => errorsOf(problem, expected, kind, options)).forEach((error, i) => {
        errors[i] = Math.max(errors[i]!, error);
      });
    }
  }
  for (const [kind, [ofRows, ofLoss, ofGradient]] of worst) {
    const limit = 2e-5 + (halfRounding[kind.logits] ?? 0);
    const ok = ofRows! < 2e-5 && ofLoss! < 2e-5 && ofGradient! < limit;
    const name = `${rows}x${classes} ${kind.logits} logits, ${kind.targets} targets${unknown > 0 ? ', some unknown or soft' : ''}`;
    report(ok, name, [ofRows!, ofLoss!, ofGradient!]);
  }
}

function report(ok: boolean, name: string, errors: readonly number[]): void {
  if (!ok) failed++;
  console.log(
    `${ok ? 'ok    ' : 'FAILED'} ${name}: ${errors.map((error) => error.toExponential(1)).join(', ')}`,
  );
}

function optionsFor(classes: number, few: boolean) {
  const counts = Float64Array.from({ length: classes }, (_, j) => 10 + 37 * j);
  const balance = effectiveNumberWeights(counts, 5000);
  const anyClassParts = [
    { alpha: 0, lambda: 0.02 },
    { alpha: 1, lambda: 0 },
    { alpha: 1, lambda: 0.02, smoothing: 0.125 },
    { alpha: 1, lambda: 1 },
  ];
  const all = bases.flatMap((base) =>
    anyClassParts.flatMap((parts) =>
      (['batch', 'mean', 'sum'] as const).flatMap((reduction) =>
        [{}, { balance }].map((balancing) => ({ ...base, ...parts, reduction, ...balancing })),
      ),
    ),
  );
  return few ? all.filter((_, i) => i % 7 === classes % 7) : all;
}

function problemOf(rows: number, classes: number, unknown: number) {
  const random = numbers(rows * 31 + classes);
  // Multiples of 1/8 are exact in every float type.
  const z = Float64Array.from({ length: rows * classes }, () => Math.round((random() - 0.6) * 128) / 8);
  const y = z.map(() => {
    if (random() < unknown) return Number.NaN;
    const present = random() < 1.5 / classes ? 1 : 0;
    // Soft labels if labels may be unknown.
    return random() < unknown ? (1 + 2 * present) / 4 : present;
  });
  return { shape: [rows, classes], z, y };
}

function errorsOf(
  { shape, z, y }: ReturnType<typeof problemOf>,
  expected: ReducedLoss & { readonly gradient: Float64Array },
  kind: (typeof kinds)[number],
  options: ReturnType<typeof optionsFor>[number],
): number[] {
  const logits = tensor(z, { shape, dtype: kind.logits, device });
  logits.requiresGrad = true;
  const targets = tensor(y, { shape, dtype: kind.targets, device });
  const loss = anyClassLoss(logits, targets, options);
  const [found] = grad([loss], [logits]);
  const foundRows = anyClassLoss(logits, targets, { ...options, reduction: 'none' });
  return [
    largestError(foundRows, expected.rows.losses),
    largestError(loss, [expected.loss]),
    largestError(found!, expected.gradient, kind.logits === 'float16' ? 2 ** -25 : 0),
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
  // Math.max propagates NaN, which is never below a limit.
  return largest === 0 ? error : error / largest;
}

/** A captured step must give the eager results, also for data that it was not captured with. */
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
  report(error === 0, 'captured in a CUDA graph', [error]);
}

/** At the limits of the types' range, the gradient must equal core's. */
function checkExtremes(): void {
  const ends = { float32: 3e38, float16: 65504, bfloat16: 3e38 } as const;
  for (const dtype of ['float32', 'float16', 'bfloat16'] as const) {
    const end = ends[dtype];
    const logits = tensor([end, -end, end, -end, -end, -end, end, -end, end], {
      shape: [3, 3],
      dtype,
      device,
    });
    logits.requiresGrad = true;
    const y = [1, 0, 1, 0, 0, 0, 0, 1, 0];
    const errors = bases.map((base) => {
      const gradient = new Float64Array(9);
      const given = { ...base, reduction: 'mean' } as const;
      const z = Float64Array.from(logits.detach().toFloat32Array());
      reference(z, y, { ...given, classes: 3, gradient });
      const [found] = grad([anyClassLoss(logits, tensor(y, { shape: [3, 3], device }), given)], [logits]);
      return largestError(found!, gradient);
    });
    const worst = Math.max(...errors);
    report(worst < 2e-5 + (halfRounding[dtype] ?? 0), `${dtype} logits of ±${end}`, [worst]);
  }
}

/** Numbers in [0, 1), the same in each run: Marsaglia's xorshift32. */
function numbers(seed: number): () => number {
  let state = (seed * 2654435761 + 1) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
