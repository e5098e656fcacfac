// One row per image and label, with a column for the value of the label: 1, 0, -1 for
// uncertain, or a number in between.

import { DataError } from '../../../errors/dataError.js';
import { labelMatrixBuilder } from '../../dataset/labelMatrix.js';
import { UNCERTAIN } from '../../tables/labelCells.js';
import type { CollectedLabels, LabelCells, SeparatedOptions } from './collectedLabels.js';
import type { ImageRows } from './imageRows.js';

/**
 * Reads labels with values. A class that none of an image's rows names is unknown, since only the others were
 * examined. If a row has the negative label, the classes that are not named are absent.
 */
export function valuedLabels(
  { indices, classes, codes }: LabelCells,
  values: Float32Array,
  rows: ImageRows,
  { uncertain, placeOf, nameOf }: SeparatedOptions,
): CollectedLabels {
  const builder = labelMatrixBuilder(classes.length);
  const rowOfClass = new Int32Array(classes.length);
  for (let image = 0; image < rows.images; image++) {
    builder.addRow();
    rowOfClass.fill(-1);
    let isNegative = false;
    for (let row = rows.firstRow(image); row >= 0; row = rows.nextRow(row)) {
      const labels = indices[codes[row]!]!;
      if (labels.length > 1) {
        throw new DataError(
          `${placeOf(row)}: ${labels.length} labels with one value; expected one label per row`,
        );
      }
      const [index] = labels;
      if (index === undefined) {
        isNegative ||= values[row]! >= 0.5;
        continue;
      }
      const before = rowOfClass[index]!;
      if (before >= 0 && !Object.is(values[before], values[row])) {
        throw new DataError(
          `${placeOf(row)}: '${classes[index]}' of image '${nameOf(row)}' is ${values[row]} here and ${values[before]} in ${placeOf(before)}; correct one of them`,
        );
      }
      rowOfClass[index] = row;
    }
    for (let j = 0; j < classes.length; j++) {
      const row = rowOfClass[j]!;
      const value = row >= 0 ? values[row]! : isNegative ? 0 : Number.NaN;
      if (value === UNCERTAIN) builder.setUncertain(j, uncertain);
      else if (value !== 0) builder.set(j, value);
    }
  }
  return { labels: builder.finish(), classes, remarks: [] };
}
