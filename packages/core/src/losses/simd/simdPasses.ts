import type { LossBatch, LossPasses } from '../lossPasses.js';
import { lossKernelBytes } from './lossKernel.js';
import { BYTES, LANES, RECORD, RECORD_ENTRIES } from './rowGroups.js';
import { type TermKind, termKindOf } from './vectorTerm.js';

// The part of the global WebAssembly object used here; core is compiled without the DOM's types.
declare const WebAssembly:
  | {
      readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
      readonly Instance: new (module: object) => { readonly exports: KernelExports };
    }
  | undefined;

type Pass = (
  logits: number,
  targets: number,
  gradient: number,
  records: number,
  rows: number,
  classes: number,
  gammaPositive: number,
  gammaNegative: number,
  clip: number,
  smoothing: number,
  alpha: number,
  scale: number,
) => void;

interface KernelExports extends Readonly<Record<`addTerms_${TermKind}`, Pass>> {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly describeRows: (
    logits: number,
    targets: number,
    weights: number,
    records: number,
    rows: number,
    classes: number,
    lambda: number,
    negativeWeight: number,
  ) => number;
}

const PAGE_BYTES = 65536;
const LARGEST_MEMORY = 2 ** 31;

let kernel: KernelExports | null | undefined;

/**
 * Computes the losses in float32 with WebAssembly SIMD. Returns null if that is unavailable, the batch exceeds its
 * memory, or a target is out of range; the scalar passes then take over, or report the target.
 */
export function simdPasses(batch: LossBatch): LossPasses | null {
  kernel ??= instantiate();
  if (kernel === null) return null;
  const { logits, targets, classes, parts, balance, rows, gradient } = batch;
  const { term, alpha, lambda, smoothing } = parts;
  const rowCount = rows.weights.length;
  const at = placesOf(logits.length, rowCount, classes);
  if (at.end > LARGEST_MEMORY) return null;
  const floats = memoryOf(kernel, at.end);
  floats.set(logits, at.logits / BYTES);
  floats.set(targets, at.targets / BYTES);
  floats.set(balance?.classWeights ?? new Float32Array(classes), at.weights / BYTES);
  const negativeWeight = balance?.negativeWeight ?? 1;
  const shape = [rowCount, classes] as const;
  const isBad = kernel.describeRows(
    at.logits,
    at.targets,
    at.weights,
    at.records,
    ...shape,
    lambda,
    negativeWeight,
  );
  if (isBad !== 0) return null;
  const records = floats.subarray(at.records / BYTES, at.records / BYTES + rowCount * RECORD_ENTRIES);
  let labeledRows = 0;
  let presences = 0;
  for (let record = 0; record < records.length; record += RECORD_ENTRIES) {
    if (records[record + RECORD.presences] === 0) continue;
    labeledRows++;
    presences += records[record + RECORD.presences]!;
    if (balance === undefined) records[record + RECORD.weight] = 1;
  }
  const pass = kernel[`addTerms_${termKindOf(term)}`];
  const numbers = [term.gammaPositive, term.gammaNegative, term.clip, smoothing, alpha] as const;
  return {
    labeledRows,
    presences,
    addTerms(scale) {
      pass(at.logits, at.targets, at.gradient, at.records, ...shape, ...numbers, scale);
      gradient?.set(floats.subarray(at.gradient / BYTES, at.gradient / BYTES + logits.length));
      for (let row = 0, record = 0; row < rowCount; row++, record += RECORD_ENTRIES) {
        const weight = records[record + RECORD.weight]!;
        const base = records[record + RECORD.base]!;
        const anyClass = records[record + RECORD.anyClass]!;
        rows.weights[row] = weight;
        rows.base[row] = base;
        rows.anyClass[row] = anyClass;
        rows.losses[row] = weight * (base + alpha * anyClass);
      }
    },
  };
}

function instantiate(): KernelExports | null {
  if (typeof WebAssembly === 'undefined') return null;
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(lossKernelBytes())).exports;
  } catch {
    // SIMD is not supported, or the page forbids compiling.
    return null;
  }
}

/** Returns the byte addresses of the arrays, each followed by room for a group of lanes that runs over. */
function placesOf(entries: number, rows: number, classes: number) {
  const bytesOf = (count: number) => (count + LANES) * BYTES;
  const targets = bytesOf(entries);
  const gradient = targets + bytesOf(entries);
  const weights = gradient + bytesOf(entries);
  const records = weights + bytesOf(classes);
  return { logits: 0, targets, gradient, weights, records, end: records + rows * RECORD_ENTRIES * BYTES };
}

function memoryOf({ memory }: KernelExports, bytes: number): Float32Array {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  return new Float32Array(memory.buffer);
}
