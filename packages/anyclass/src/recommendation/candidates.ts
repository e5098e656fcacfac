// The losses that a recommendation chooses from: a base loss, with or without balancing, with or without the
// any-class term at several λ.

import { withSettings } from '../configuration/overrides.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { UsageError } from '../errors/usageError.js';
import { type LossVariant, variantText } from '../experiments/variants.js';
import { isAnyClass } from '../losses/lossNames.js';

export type LossFields = Configuration['loss'];

/** A loss that may be recommended. */
export interface Candidate {
  /** For example, `any-bce λ=0.02` or `asl balanced`. */
  readonly label: string;
  readonly loss: LossFields;
  /** The configuration's own loss, or plain BCE. Both are in every round, as references for the others. */
  readonly role?: 'configured' | 'plain';
}

/** From the most thorough to the quickest: which λ to try, and whether in every combination of parts. */
const grids = [
  { lambdas: [0.01, 0.02, 0.05, 0.1, 0.2], isWhole: true },
  { lambdas: [0.02, 0.1], isWhole: true },
  { lambdas: [0.02, 0.1], isWhole: false },
] as const;

/** β to use if the configuration has none. */
const usualBeta = 0.9999;

/**
 * Returns lists of candidates, the longest first; how many are tried depends on the time. Settings that are
 * not searched, such as α or label smoothing, come from the configuration. With `keepsOwn`, its own loss is
 * included and marked.
 *
 * @example
 * candidateLists(configuration.loss, { keepsOwn: false }).map(({ length }) => length) // [24, 12, 6]
 */
export function candidateLists(own: LossFields, { keepsOwn }: { readonly keepsOwn: boolean }): Candidate[][] {
  return grids.map(({ lambdas, isWhole }) => {
    const losses = isWhole ? wholeGrid(own, lambdas) : shortList(own, lambdas);
    const candidates = losses.map((loss) => candidateOf(loss, keepsOwn && isSame(loss, own)));
    if (!keepsOwn || losses.some((loss) => isSame(loss, own))) return candidates;
    return [...candidates, { label: `${labelOf(own)} (configured)`, loss: own, role: 'configured' }];
  });
}

/**
 * Returns the candidates that a user lists.
 *
 * @example
 * const losses = [{ name: 'bce' }, { name: 'any-bce', set: { 'loss.lambda': 0.2 } }] as const;
 * listedCandidates(losses, configuration).map(({ label }) => label) // ['bce', 'any-bce lambda=0.2']
 */
export function listedCandidates(losses: readonly LossVariant[], configuration: Configuration): Candidate[] {
  const candidates = losses.map((variant) => {
    const { name, set = {} } = variant;
    const text = variantText(variant, 'loss');
    const other = Object.keys(set).find((field) => !field.startsWith('loss.'));
    if (other !== undefined)
      throw new UsageError(`'${text}' sets ${other}; only fields of the loss can differ`, 'losses');
    const fields = withSettings(configuration, { 'loss.name': name, ...set });
    const { loss } = validateConfiguration(fields, text);
    return { ...candidateOf(loss, false), label: text };
  });
  const twin = candidates.find(
    ({ loss }, i) => candidates.findIndex((other) => isSame(other.loss, loss)) < i,
  );
  if (twin) throw new UsageError(`'${twin.label}' is listed twice`, 'losses');
  if (candidates.length < 2) throw new UsageError('name two losses or more to choose from', 'losses');
  return candidates;
}

/**
 * Orders candidates from the simplest to the most elaborate: fewer parts first, then the λ nearest to the
 * paper's. Breaks ties between equally good losses.
 *
 * @example
 * candidates.toSorted(bySimplicity)[0]?.label // 'bce'
 */
export function bySimplicity(one: Candidate, other: Candidate): number {
  return partCount(one) - partCount(other) || fromPaper(one) - fromPaper(other);
}

/**
 * Returns only those fields of a loss that have an effect on it.
 *
 * @example
 * relevantFields({ ...loss, name: 'bce', beta: null, reduction: 'mean' }) // { name: 'bce', beta: null, smoothing: 0, reduction: 'mean' }
 */
export function relevantFields(loss: LossFields): Partial<LossFields> {
  const { name, alpha, lambda, gamma, gammaPositive, gammaNegative, clip, beta, smoothing, reduction } = loss;
  return {
    name,
    ...(isAnyClass(name) && { alpha, lambda }),
    ...(name.endsWith('focal') && { gamma }),
    ...(name.endsWith('asl') && { gammaPositive, gammaNegative, clip }),
    beta,
    smoothing,
    reduction,
  };
}

function wholeGrid(own: LossFields, lambdas: readonly number[]): LossFields[] {
  return [false, true].flatMap((isBalanced) =>
    (['bce', 'asl'] as const).flatMap((base) =>
      [undefined, ...lambdas].map((lambda) => lossOf(own, base, isBalanced, lambda)),
    ),
  );
}

/** The plain loss, each part on its own, and balancing with the any-class term as in the paper. */
function shortList(own: LossFields, lambdas: readonly number[]): LossFields[] {
  return [
    lossOf(own, 'bce', false, undefined),
    ...lambdas.map((lambda) => lossOf(own, 'bce', false, lambda)),
    lossOf(own, 'bce', true, undefined),
    lossOf(own, 'bce', true, lambdas[0]),
    lossOf(own, 'asl', false, undefined),
  ];
}

function lossOf(
  own: LossFields,
  base: 'bce' | 'asl',
  isBalanced: boolean,
  lambda: number | undefined,
): LossFields {
  return {
    ...own,
    name: lambda === undefined ? base : `any-${base}`,
    lambda: lambda ?? own.lambda,
    beta: isBalanced ? (own.beta ?? usualBeta) : null,
    // Balancing comes with the paper's reduction; without it, the plain mean is the common choice.
    reduction: isBalanced ? 'batch' : 'mean',
  };
}

function candidateOf(loss: LossFields, isOwn: boolean): Candidate {
  const isPlain = loss.name === 'bce' && loss.beta === null && loss.reduction === 'mean';
  const role = isPlain ? 'plain' : isOwn ? 'configured' : undefined;
  return { label: labelOf(loss), loss, ...(role && { role }) };
}

function labelOf({ name, lambda, beta }: LossFields): string {
  return [name, ...(isAnyClass(name) ? [`λ=${lambda}`] : []), ...(beta === null ? [] : ['balanced'])].join(
    ' ',
  );
}

function isSame(one: LossFields, other: LossFields): boolean {
  return JSON.stringify(relevantFields(one)) === JSON.stringify(relevantFields(other));
}

function partCount({ loss: { name, beta } }: Candidate): number {
  return Number(!name.endsWith('bce')) + Number(beta !== null) + Number(isAnyClass(name));
}

/** Distance of λ from the paper's, on a logarithmic scale. */
function fromPaper({ loss: { name, lambda } }: Candidate): number {
  return isAnyClass(name) ? Math.abs(Math.log(lambda / 0.02)) : 0;
}
