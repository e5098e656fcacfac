// Splits multi-label rows so that every class is represented in each part and all rows of a patient stay
// together.
//
//   node examples/dist/splitByPatient.js

import { iterativeStratifiedSplit, NumpyRandom } from '@anyclass/core';

const rows = 400;
const classes = 3;
const random = new NumpyRandom(7);
const patients = Array.from({ length: rows }, () => `patient-${random.integer(120)}`);
const labels = Array.from({ length: rows * classes }, () => (random.integer(12) === 0 ? 1 : 0));

const shares = [0.7, 0.1, 0.2];
const parts = iterativeStratifiedSplit(labels, { classes, shares, groups: patients, random: 1 });
for (const [i, part] of parts.entries()) {
  const positives = Array.from({ length: classes }, (_, j) =>
    part.reduce((sum, row) => sum + labels[row * classes + j]!, 0),
  );
  const distinct = new Set(Array.from(part, (row) => patients[row])).size;
  console.log(
    `${100 * shares[i]!}%: ${part.length} rows of ${distinct} patients, positives ${positives.join(', ')}`,
  );
}
