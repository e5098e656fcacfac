// Judges decisions on the rows of a run, exactly: with core itself, as `refit` and `evaluate` do.

import {
  type Decision,
  type DecisionExplorer,
  decisionExplorer,
  type Explored,
  type FitDecisionOptions,
  PRESENT_FROM,
  presenceProbability,
  ROW_NEGATIVE,
  ROW_POSITIVE,
} from '@anyclass/core';
import { receivedScores } from '../../parts/scores.js';
import {
  BINS,
  type Budget,
  type ByOutcome,
  type CurvePoint,
  type FitSettings,
  type Judged,
  type LoadedRows,
  type ShownRow,
} from './messages.js';

/** Pictures of rows beside the charts. */
const mostShown = 16;

export interface DecideEngine {
  readonly loaded: LoadedRows;
  judge(budget: Budget, settings: FitSettings, saved: Decision, isSaved: boolean): Judged;
  point(budget: Budget, settings: FitSettings): CurvePoint;
}

/** Prepares the rows of a run. */
export function decideEngine(bytes: ArrayBuffer): DecideEngine {
  const { header, scored } = receivedScores(bytes);
  const { classImportance, classNames } = header;
  const explorer = decisionExplorer(scored, classImportance ? { classImportance } : {});
  const { rowKinds } = explorer;
  const logits = Float64Array.from(explorer.presence, logitOf);
  const { lowest, highest } = rangeOf(logits);
  const binOf = Uint8Array.from(logits, (logit) =>
    Math.max(0, Math.min(BINS - 1, Math.floor((BINS * (logit - lowest)) / (highest - lowest)))),
  );
  const positives = count(rowKinds, ROW_POSITIVE);
  const negatives = count(rowKinds, ROW_NEGATIVE);
  // By its text: every message to the worker has a copy of it.
  let known: { readonly text: string; readonly explored: Explored } | undefined;
  const applied = (decision: Decision): Explored => {
    const text = JSON.stringify(decision);
    if (known?.text !== text) known = { text, explored: explorer.apply(decision) };
    return known.explored;
  };
  return {
    loaded: { rows: header.rows, positives, negatives, lowest, highest },
    judge(budget, settings, saved, isSaved) {
      const before = applied(saved);
      const now = isSaved ? { decision: saved, ...before } : explorer.fit(fitOptions(budget, settings));
      const sides = sidesOf(explorer, before, now);
      return {
        budget,
        isSaved,
        macroF1: now.metrics.macroF1,
        positives: sides.now[0],
        negatives: sides.now[1],
        report: pickReport(now.decision),
        alarmAt: placeOf(now.decision.presence),
        clearAt: placeOf(now.decision.clear),
        savedAlarmAt: placeOf(saved.presence),
        saved: { macroF1: before.metrics.macroF1, positives: sides.before[0], negatives: sides.before[1] },
        bins: binned(explorer, now, binOf),
        moves: sides.moves,
        shown: shownRows(now, before),
      };
    },
    point(budget, settings) {
      const { decision, metrics, outcomes } = explorer.fit(fitOptions(budget, settings));
      const { guarantee } = decision.report;
      const found = outcomes.reduce(
        (sum, outcome, row) => sum + Number(outcome === 2 && rowKinds[row] === ROW_POSITIVE),
        0,
      );
      return {
        budget: budget.falseAlarms,
        macroF1: metrics.macroF1,
        found: found / Math.max(1, positives),
        review: metrics.reviewRate ?? 0,
        isPromisable: guarantee.holds || !guarantee.reason.startsWith('too few'),
      };
    },
  };

  function shownRows(now: Explored & { readonly decision: Decision }, before: Explored): ShownRow[] {
    const { presence: gate, clear } = now.decision;
    const [first = Infinity, second = Infinity] = [gate, clear].flatMap((place) =>
      place === null ? [] : [logitOf(place)],
    );
    const distance = (row: number) =>
      Math.min(Math.abs(logits[row]! - first), Math.abs(logits[row]! - second));
    const isMoved = (row: number) => now.outcomes[row] !== before.outcomes[row];
    const moved = nearest(rowKinds, isMoved, distance);
    const next = moved.length < mostShown ? nearest(rowKinds, (row) => !isMoved(row), distance) : [];
    return [...moved, ...next].slice(0, mostShown).map((row) => ({
      row,
      isPositive: rowKinds[row] === ROW_POSITIVE,
      outcome: now.outcomes[row]!,
      isMoved: isMoved(row),
      presence: presenceProbability(explorer.presence[row]!),
      classes: classNames.filter((_, j) => scored.targets[row * classNames.length + j]! >= PRESENT_FROM),
    }));
  }
}

function fitOptions({ falseAlarms, missed }: Budget, settings: FitSettings): FitDecisionOptions {
  const { confidence, per, ...rest } = settings;
  return {
    rule: 'gate',
    ...rest,
    budget: { falseAlarms, confidence, ...(per && { per }), ...(missed !== null && { missed }) },
  };
}

/** The logit of the probability of presence: log(e^s - 1). */
function logitOf(presence: number): number {
  return presence > 30 ? Math.min(presence, 40) : Math.log(Math.max(Number.MIN_VALUE, Math.expm1(presence)));
}

function placeOf(presence: number | null): number | null {
  return presence === null || presence === 0 ? null : logitOf(presence);
}

/** All but a few rows at each end. */
function rangeOf(logits: Float64Array): { lowest: number; highest: number } {
  const sorted = Float64Array.from(logits).sort();
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const lowest = Math.max(-14, at(0.005));
  const highest = Math.min(14, at(0.995));
  return highest - lowest > 1
    ? { lowest: lowest - 0.1, highest: highest + 0.1 }
    : { lowest: lowest - 1, highest: highest + 1 };
}

function count(values: Uint8Array, wanted: number): number {
  return values.reduce((sum, value) => sum + Number(value === wanted), 0);
}

function pickReport({ report: { guarantee, triage, remarks, groups } }: Decision): Judged['report'] {
  return { guarantee, triage, remarks, groups };
}

/** Counts by outcome before and now, and what moved. */
function sidesOf({ rowKinds }: DecisionExplorer, before: Explored, now: Explored) {
  // Kind (positive, negative), outcome before, outcome now.
  const tally = new Uint32Array(18);
  for (let row = 0; row < rowKinds.length; row++) {
    const kind = rowKinds[row] === ROW_POSITIVE ? 0 : rowKinds[row] === ROW_NEGATIVE ? 1 : -1;
    if (kind >= 0) tally[9 * kind + 3 * before.outcomes[row]! + now.outcomes[row]!]!++;
  }
  const at = (kind: number, from: number, to: number) => tally[9 * kind + 3 * from + to]!;
  const all = [0, 1, 2];
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const outcomes = (counted: (outcome: number) => number): ByOutcome => [counted(0), counted(1), counted(2)];
  const beforeOf = (kind: number) => outcomes((from) => sum(all.map((to) => at(kind, from, to))));
  const nowOf = (kind: number) => outcomes((to) => sum(all.map((from) => at(kind, from, to))));
  const moves = [0, 1].flatMap((kind) =>
    all.flatMap((from) =>
      all.flatMap((to) =>
        from === to || at(kind, from, to) === 0
          ? []
          : [{ isPositive: kind === 0, from, to, count: at(kind, from, to) }],
      ),
    ),
  );
  return {
    before: [beforeOf(0), beforeOf(1)] as const,
    now: [nowOf(0), nowOf(1)] as const,
    moves: moves.sort((a, b) => b.count - a.count),
  };
}

function binned({ rowKinds }: DecisionExplorer, { outcomes }: Explored, binOf: Uint8Array): Uint32Array {
  const bins = new Uint32Array(6 * BINS);
  for (let row = 0; row < rowKinds.length; row++) {
    const kind = rowKinds[row] === ROW_POSITIVE ? 0 : rowKinds[row] === ROW_NEGATIVE ? 1 : -1;
    if (kind >= 0) bins[(3 * kind + outcomes[row]!) * BINS + binOf[row]!]!++;
  }
  return bins;
}

/** The decided rows of a kind that are closest to a handle. */
function nearest(
  rowKinds: Uint8Array,
  isWanted: (row: number) => boolean,
  distance: (row: number) => number,
): number[] {
  const best: { row: number; at: number }[] = [];
  for (let row = 0; row < rowKinds.length; row++) {
    if (rowKinds[row] !== ROW_POSITIVE && rowKinds[row] !== ROW_NEGATIVE) continue;
    if (!isWanted(row)) continue;
    const at = distance(row);
    if (best.length === mostShown && at >= best[mostShown - 1]!.at) continue;
    const place = best.findIndex((other) => other.at > at);
    best.splice(place < 0 ? best.length : place, 0, { row, at });
    if (best.length > mostShown) best.pop();
  }
  return best.map(({ row }) => row);
}
