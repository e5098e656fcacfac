// Shares on the command line: `0.01` or `1%`.

import { z } from 'zod';

/**
 * A share as people write it. A number of 1 or more without a percent sign could mean either, so it is refused
 * with both readings.
 *
 * @example
 * shareField().parse('1%') // 0.01
 * shareField().parse('0.01') // 0.01
 * shareField().parse('5') // fails: 5 could mean 5% or a share of 5; write 5% or 0.05
 */
export function shareField() {
  return z
    .string()
    .transform((text, context) => shareOf(text, context))
    .meta({ placeholder: 'SHARE' });
}

/**
 * A share of what is drawn: more than nothing, and up to all.
 *
 * @example
 * drawnShareField().parse('100%') // 1
 * drawnShareField().parse('1') // fails: '1' could mean 1% or all; write 1% or 100%
 */
export function drawnShareField() {
  return z
    .string()
    .transform((text, context) => shareOf(text, context, { isDrawn: true }))
    .meta({ placeholder: 'SHARE' });
}

/** A share, or none, which is read as null. */
export function shareOrNoneField() {
  return z
    .string()
    .transform((text, context) => (text.trim() === 'none' ? null : shareOf(text, context)))
    .meta({ placeholder: 'SHARE|none' });
}

function shareOf(text: string, context: z.RefinementCtx<string>, { isDrawn = false } = {}): number {
  const [, digits = '', sign] = /^\s*([\d.]+(?:e-?\d+)?)\s*(%)?\s*$/i.exec(text) ?? [];
  const value = digits === '' ? Number.NaN : Number(digits);
  // 1.1 / 100 is 0.011000000000000001.
  const share = sign === undefined ? value : Number((value / 100).toPrecision(15));
  if (isDrawn ? share > 0 && (share < 1 || (share === 1 && sign)) : share >= 0 && share < 1) return share;
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  if (isDrawn && sign === undefined && value === 1)
    refuse(`'${text}' could mean 1% or all; write 1% or 100%`);
  else if (sign === undefined && value >= 1 && value < 100)
    refuse(
      `'${text}' could mean ${value}% or a share of ${value}; write ${value}% or ${String(value / 100)}${value === 1 ? ' for one percent' : ''}`,
    );
  else refuse(`expected a share${isDrawn ? ' above 0' : ''} such as 0.01 or 1%; got '${text}'`);
  return z.NEVER;
}
