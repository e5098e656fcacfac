import { z } from 'zod';

/**
 * Reads the first line of logs that counts: its number, or a time.
 *
 * @example
 * z.string().transform(lineOrTime).parse('2026-03-14') // a Date
 */
export function lineOrTime(text: string, context: z.RefinementCtx<string>): number | Date {
  if (/^\d+$/.test(text) && Number(text) > 0) return Number(text);
  // Otherwise `Date` takes almost anything for a time.
  const time = new Date(/^\d{4}-\d{2}/.test(text) ? text : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  context.addIssue({
    code: 'custom',
    message: `expected a line, such as 1501, or a time, such as 2026-03-14; got '${text}'`,
  });
  return z.NEVER;
}
