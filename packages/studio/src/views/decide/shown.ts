// What the address and the chart say about budgets.

import { address } from '../../state/address.js';
import { roundShare } from './budgets.js';
import type { Budget, Judged, LoadedRows } from './messages.js';

/** The budget that the address has, or else that of the saved decision. */
export function shownBudget(saved: Budget): Budget {
  const state = address.value;
  return {
    falseAlarms: shareIn(state.get('budget')) ?? saved.falseAlarms,
    missed: state.get('missed') === 'off' ? null : (shareIn(state.get('missed')) ?? saved.missed),
  };
}

export function shareIn(text: string | null): number | undefined {
  const share = text === null ? Number.NaN : Number(text);
  return share > 0 && share < 1 ? share : undefined;
}

/** About the share of rows beyond a place of the chart; the fit then says where the limit for that share really is. */
export function shareAt(
  { bins }: Judged,
  logit: number,
  { lowest, highest, positives, negatives }: LoadedRows,
  side: 'alarm' | 'missed',
): number {
  const count = bins.length / 6;
  const place = ((logit - lowest) / (highest - lowest)) * count;
  let beyond = 0;
  for (let bin = 0; bin < count; bin++) {
    const kind = side === 'alarm' ? 3 : 0;
    const rows =
      bins[kind * count + bin]! + bins[(kind + 1) * count + bin]! + bins[(kind + 2) * count + bin]!;
    const part =
      side === 'alarm' ? Math.min(1, Math.max(0, bin + 1 - place)) : Math.min(1, Math.max(0, place - bin));
    beyond += rows * part;
  }
  const all = side === 'alarm' ? negatives : positives;
  // A promise leaves room for chance: its limit lies beyond the share that is seen.
  const share = beyond / Math.max(1, all);
  return roundShare(
    share + 1.64 * Math.sqrt((share * (1 - share)) / Math.max(1, all)) + 1 / Math.max(1, all),
  );
}
