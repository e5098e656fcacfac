import type { DecisionReport } from '@anyclass/core';
import type { FitSettings } from './messages.js';

/**
 * What the limits of a decision count: images, images of groups that count equally, or whole groups.
 *
 * @example
 * limitWords(report, { per: 'group' }).alarm // 'groups without positives get an alarm'
 */
export function limitWords(
  { guarantee }: Pick<DecisionReport, 'guarantee'>,
  { per = 'image' }: Pick<FitSettings, 'per'>,
): { readonly alarm: string; readonly missed: string; readonly weighed: string } {
  if (per === 'group')
    return {
      alarm: 'groups without positives get an alarm',
      missed: 'groups with a positive are cleared',
      weighed: '',
    };
  const isOfGroups = guarantee.holds ? guarantee.groups !== null : guarantee.ofGroups === true;
  return {
    alarm: 'negatives raise an alarm',
    missed: 'positives are cleared',
    weighed: isOfGroups ? ', counting each group equally' : '',
  };
}
