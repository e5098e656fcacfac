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
  for (let i = 0; i < first.targets.length; i++) {
    if (Object.is(first.targets[i], second.targets[i]) || first.targets[i] === second.targets[i]) continue;
    const row = Math.floor(i / first.classNames.length);
    throw new RangeError(
      `targets of row ${row} differ: ${first.targets[i]} and ${second.targets[i]}; expected the same rows in the same order`,
    );
  }
}
