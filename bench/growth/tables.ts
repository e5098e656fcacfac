// Tables of labels and scores as users have them, of any number of rows and classes.

import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Tables of so many rows: labels of all, and labels and scores of two halves, to fit a decision and to judge it. */
export interface Tables {
  readonly all: string;
  readonly labels: string;
  readonly scores: string;
  readonly fitLabels: string;
  readonly fitScores: string;
}

/** Writes the tables below a folder: 80% of the rows are negative, and scores are higher where a class is present. */
export function writeTables(folder: string, rows: number, classes: number): Tables {
  const [labels, scores] = writePair(folder, 'judged', rows / 2, classes);
  const [fitLabels, fitScores] = writePair(folder, 'fit', rows / 2, classes);
  const [all, spare] = writePair(folder, 'all', rows, classes);
  rmSync(spare);
  return { all, labels, scores, fitLabels, fitScores };
}

function writePair(
  folder: string,
  name: string,
  rows: number,
  classes: number,
): readonly [labels: string, scores: string] {
  const files = [join(folder, `${name}-labels.csv`), join(folder, `${name}-scores.csv`)] as const;
  const [labels, scores] = files.map((file) => new TextFile(file)) as [TextFile, TextFile];
  const header = `Filename,${Array.from({ length: classes }, (_, j) => `class ${j}`).join(',')}\n`;
  labels.write(header);
  scores.write(header);
  let state = name === 'fit' ? 1 : 2;
  const random = () => {
    // A linear congruential generator: what matters is that drawing costs little beside writing.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let row = 0; row < rows; row++) {
    const present = random() < 0.2 ? Math.floor(random() * classes) : -1;
    const file = `${name}-${String(row).padStart(8, '0')}.png`;
    let [labelCells, scoreCells] = ['', ''];
    for (let j = 0; j < classes; j++) {
      labelCells += j === present ? ',1' : ',0';
      const score = j === present ? 0.1 + 0.8 * random() : 0.4 * random();
      scoreCells += `,0.${String(Math.floor(score * 1e5)).padStart(5, '0')}`;
    }
    labels.write(`${file}${labelCells}\n`);
    scores.write(`${file}${scoreCells}\n`);
  }
  labels.close();
  scores.close();
  return files;
}

/** Text that is written in large pieces. */
class TextFile {
  private readonly file: number;
  private text = '';

  constructor(path: string) {
    this.file = openSync(path, 'w');
  }

  write(text: string): void {
    this.text += text;
    if (this.text.length > 1 << 22) this.flush();
  }

  close(): void {
    this.flush();
    closeSync(this.file);
  }

  private flush(): void {
    writeSync(this.file, this.text);
    this.text = '';
  }
}
