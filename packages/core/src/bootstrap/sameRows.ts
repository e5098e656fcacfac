import { areSameClasses, type Scored } from '../metrics/scored.js';

/** Throws if two models were not scored on the same rows in the same order. */
export function checkSameRows(first: Scored, second: Scored): void {
  if (!areSameClasses(first.classNames, second.classNames)) {
    throw new RangeError(
      `the first model has the classes ${first.classNames.join(', ')}, the second ${second.classNames.join(', ')}`,
    );
  }
  if (first.targets.length !== second.targets.length) {
    throw new RangeError(
      `the first model has ${first.targets.length} targets, the second ${second.targets.length}`,
    );
  }
  const [ofFirst, ofSecond] = [first.groups, second.groups];
  if ((ofFirst === undefined) !== (ofSecond === undefined)) {
    throw new RangeError('one model has groups, the other none; expected the same rows in the same order');
  }
  for (let row = 0; row < (ofFirst?.length ?? 0); row++) {
    if (ofFirst![row] === ofSecond![row]) continue;
    throw new RangeError(
      `groups of row ${row} differ: ${ofFirst![row]} and ${ofSecond![row]}; expected the same rows in the same order`,
    );
  }
  for (let i = 0; i < first.targets.length; i++) {
    if (Object.is(first.targets[i], second.targets[i]) || first.targets[i] === second.targets[i]) continue;
    const row = Math.floor(i / first.classNames.length);
    throw new RangeError(
      `targets of row ${row} differ: ${first.targets[i]} and ${second.targets[i]}; expected the same rows in the same order`,
    );
  }
}
