import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { UserError } from '../../../errors/userError.js';
import { openDataset } from '../../openDataset.js';

const folder = testFolder();

function file(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

test('a table of 0/1 columns has its classes in column order, and an empty cell is unknown', async () => {
  const path = file('columns.csv', 'Filename,crack,root\na.png,1,0\nb.png,0,0\nc.png,,0\nd.png,0,1\n');
  const dataset = await openDataset(path);
  expect(dataset.classes).toEqual(['crack', 'root']);
  expect(dataset.names.at(3)).toBe('d.png');
  expect(dataset.labels.at(0, 0)).toBe(1);
  expect(dataset.labels.at(2, 0)).toBeNaN();
  expect([0, 1, 2, 3].map((row) => dataset.labels.presence(row))).toEqual([
    'positive',
    'negative',
    'undecided',
    'positive',
  ]);
});

test('a table with one column of labels is split at the separator that occurs', async () => {
  for (const separator of ['|', ';', ',']) {
    const path = file('labels.csv', `image,labels\na.png,"dog${separator}cat"\nb.png,\nc.png,cat\n`);
    const dataset = await openDataset(path);
    expect(dataset.classes).toEqual(['cat', 'dog']);
    expect(dataset.labels.at(0, 1)).toBe(1);
    expect(dataset.labels.presence(1)).toBe('negative');
  }
});

test('semicolons, tabs, a byte-order mark, CRLF, and quoted names are read', async () => {
  const semicolons = await openDataset(
    file('s.csv', '\ufefffile;x\r\n"a;b.png";1\r\nc.png;0\r\nd.png;0\r\n'),
  );
  expect(semicolons.names.at(0)).toBe('a;b.png');
  const tabs = await openDataset(file('t.tsv', 'file\tx\na.png\t1\nb.png\t0\nc.png\t0\n'));
  expect(tabs.labels.at(0, 0)).toBe(1);
});

test('a gzipped table of far more lines than its bytes can tell apart is refused', async () => {
  const bomb = gzipSync(`image,crack\n${'a.png,1\n'.repeat(1_100_000)}`);
  await expect(openDataset(file('bomb.csv', bomb))).rejects.toThrow(
    /bomb\.csv: its \d+ bytes decompress to more than 1000000 lines/,
  );
});

test('a gzipped table may also have semicolons or tabs', async () => {
  for (const [name, separator] of [
    ['s.csv.gz', ';'],
    ['t.tsv.gz', '\t'],
  ] as const) {
    const rows = [['file', 'x', 'y'], ...Array.from({ length: 5000 }, (_, i) => [`${i}.png`, '1', '0'])];
    const text = rows.map((cells) => cells.join(separator)).join('\n');
    const dataset = await openDataset(file(name, gzipSync(text)));
    expect(dataset.classes).toEqual(['x', 'y']);
    expect(dataset.labels.rows).toBe(5000);
  }
});

test('files named after splits are the splits, and classes must agree', async () => {
  file('parts/train.csv', 'Filename,x\na.png,1\nb.png,0\n');
  file('parts/val.csv', 'Filename,x\nc.png,1\n');
  const dataset = await openDataset(join(folder, 'parts'));
  expect([...dataset.splits.train]).toEqual([0, 1]);
  expect([...dataset.splits.validation]).toEqual([2]);
  file('parts/test.csv', 'Filename,y\nd.png,1\n');
  await expect(openDataset(join(folder, 'parts'))).rejects.toThrow(
    /test\.csv: the classes y, but train\.csv/,
  );
});

test('a split column and a group column are recognized', async () => {
  const path = file('split.csv', 'file,patient,split,x\na.png,p1,train,1\nb.png,p2,test,0\nc.png,p1,val,0\n');
  const dataset = await openDataset(path);
  expect(dataset.classes).toEqual(['x']);
  expect([...dataset.groups!.codes]).toEqual([0, 1, 0]);
  expect([...dataset.splits.validation]).toEqual([2]);
});

test('keep and drop select classes; an instance left without a class is negative', async () => {
  const path = file('keep.csv', 'file,a,b,c\n1.png,1,0,0\n2.png,0,1,1\n3.png,0,0,1\n');
  const kept = await openDataset(path, { keep: ['c', 'b'] });
  expect(kept.classes).toEqual(['c', 'b']);
  expect(kept.labels.presence(0)).toBe('negative');
  const dropped = await openDataset(path, { drop: ['c'] });
  expect(dropped.classes).toEqual(['a', 'b']);
  expect(dropped.labels.presence(2)).toBe('negative');
  await expect(openDataset(path, { keep: ['d'] })).rejects.toThrow("no class 'd'; the classes are a, b, c");
  await expect(openDataset(path, { drop: ['d'] })).rejects.toThrow("no class 'd'; the classes are a, b, c");
});

test('only the kept 0/1 columns are read, whatever the others contain', async () => {
  const path = file('notes.csv', 'file,crack,roots,notes\n1.png,1,0,rain\n2.png,0,1,\n3.png,0,0,\n');
  const kept = await openDataset(path, { keep: ['roots', 'crack'], ignoreColumns: ['weather'] });
  expect(kept.classes).toEqual(['roots', 'crack']);
  expect(kept.labels.at(1, 0)).toBe(1);
  await expect(openDataset(path)).rejects.toThrow("class column 'notes' holds 'rain'");
  await expect(openDataset(path, { keep: ['crak'] })).rejects.toThrow(
    "notes.csv: no class 'crak'; did you mean 'crack'?",
  );
});

test('a missing class or column is reported with its field and the nearest name', async () => {
  const labels = file('labels.csv', 'file,labels\n1.png,crack|roots\n2.png,\n3.png,crack\n');
  for (const choice of [{ keep: ['Cracks'] }, { drop: ['crak'] }, { classes: ['crac', 'roots'] }]) {
    await expect(openDataset(labels, choice)).rejects.toThrow(
      /'(Cracks|crak|crack)'; did you mean 'crack?'\?/,
    );
  }
  await expect(openDataset(labels, { keep: ['coco41'] })).rejects.toThrow("did you mean 'coco-41'?");
  await expect(openDataset(labels, { groupColumn: 'pipe' })).rejects.toThrow(
    "labels.csv: no column 'pipe' (data.columns.group); the columns are file, labels",
  );
  await expect(openDataset(labels, { labelColumn: 'label' })).rejects.toThrow("did you mean 'labels'?");
});

test.each([
  ['ignore', Number.NaN, 'undecided'],
  ['zero', 0, 'negative'],
  ['one', 1, 'positive'],
  [0.75, 0.75, 'positive'],
  [0.25, 0.25, 'negative'],
] as const)('with uncertain %s, -1 is read as %d and its row is %s', async (uncertain, target, presence) => {
  const path = file('chexpert.csv', 'Path,Edema,Fracture\na.png,-1,0\nb.png,-1.0,1.0\nc.png,0,0\n');
  const { labels } = await openDataset(path, { uncertain });
  expect([labels.at(0, 0), labels.at(1, 0), labels.at(1, 1)]).toEqual([target, target, 1]);
  expect([0, 1, 2].map((row) => labels.presence(row))).toEqual([presence, 'positive', 'negative']);
  expect([0, 1, 2].map((row) => labels.isUncertain(row, 0))).toEqual([true, true, false]);
});

test('an uncertain label is unknown by default', async () => {
  const { labels } = await openDataset(file('default.csv', 'Path,Edema\na.png,-1\nb.png,1\nc.png,0\n'));
  expect(labels.at(0, 0)).toBeNaN();
});

test('soft labels are read as written; from 0.5 on, the class counts as present', async () => {
  const path = file('soft.csv', 'file,a,b\n1.png,.5,0\n2.png,0.25,4.9e-1\n3.png,,0.25\n');
  const { labels } = await openDataset(path);
  expect([labels.at(0, 0), labels.at(1, 0), labels.at(1, 1)]).toEqual([0.5, 0.25, Math.fround(0.49)]);
  expect([0, 1, 2].map((row) => labels.presence(row))).toEqual(['positive', 'negative', 'undecided']);
});

test('0 and 1 may be written in the ways of other programs', async () => {
  const path = file('written.csv', 'file,a,b\n1.png,1.0,True\n2.png, 0,FALSE\n3.png,0.0,1\n');
  const { labels } = await openDataset(path);
  expect([0, 1, 2].map((row) => [labels.at(row, 0), labels.at(row, 1)])).toEqual([
    [1, 1],
    [0, 0],
    [0, 1],
  ]);
});

test('a table in another encoding is refused; UTF-8 is read wherever chunks split its characters', async () => {
  await expect(
    openDataset(file('latin.csv', Buffer.from('file,f\xf6n\n1.png,1\n', 'latin1'))),
  ).rejects.toThrow('latin.csv: is not UTF-8');
  // The reader takes 64 KiB at a time: with 3 bytes per character, some are split.
  const rows = Array.from({ length: 20_000 }, (_, i) => `€ô${'x'.repeat(i % 7)}${i}.png,${i % 2}`);
  const dataset = await openDataset(file('long.csv', ['file,a', ...rows].join('\n')));
  expect(dataset.names.length).toBe(20_000);
  expect(dataset.names.at(19_999)).toBe(rows[19_999]!.split(',')[0]);
});

test('problems in a table are reported with file and line', async () => {
  const complaints: [string, string][] = [
    [
      'Filename,RB\na.png,1\nb.png,2\n',
      "bad.csv, line 3: class column 'RB' holds '2'; expected 0 to 1, empty for unknown, or -1 for uncertain",
    ],
    [
      'Filename,weather\na.png,sunny\n',
      "class column 'weather' holds 'sunny'; expected 0 to 1, empty for unknown, or -1 for uncertain. If it is not a class, add it to data.columns.ignore",
    ],
    [
      'Filename,RB\na.png,-2\n',
      "line 2: class column 'RB' holds '-2'; expected 0 to 1, empty for unknown, or -1 for uncertain. -1 means uncertain: set data.uncertain to ignore, zero, one, or a number",
    ],
    ['Filename,RB\na.png,0x1\n', "class column 'RB' holds '0x1'"],
    ['Filename,RB\na.png,1.01\n', "class column 'RB' holds '1.01'"],
    [
      'Filename,RB\na.png,1\nb.png,0\na.png,0\n',
      "bad.csv, line 4: image 'a.png' is already in bad.csv, line 2. One row per label? Then set data.columns.labels",
    ],
    [
      'Filename,RB\na.png,1\nb.png,"0\nc.png,1\n',
      'bad.csv, line 3: a quote that opens in this row is never closed',
    ],
    ['Filename,RB\na.png,1,1\n', 'bad.csv, line 2: 3 cells, but the header has 2 columns'],
    [
      'Filename,RB\n../../etc/passwd,1\n',
      "bad.csv, line 2: image '../../etc/passwd' is outside the image folder",
    ],
    [
      'Filename,RB\n/etc/passwd,1\n',
      "bad.csv, line 2: image '/etc/passwd' is not a path below the image folder",
    ],
    ['Filename,RB\n,1\n', 'bad.csv, line 2: the image name is empty'],
    ['Filename,RB,RB\na.png,1,1\n', "bad.csv, line 1: column 'RB' appears twice"],
    ['Filename\na.png\n', 'bad.csv, line 1: no class columns'],
    ['Filename,RB\n', 'bad.csv: has a header but no rows'],
    ['', 'bad.csv: the file is empty'],
    ['Filename,RB\n"a.png,1\n', 'bad.csv'],
    ['\x00\x01\x02', 'bad.csv: contains zero bytes'],
    [
      'file,split,x\na.png,holdout,1\n',
      "bad.csv, line 2: split 'holdout'; expected train, validation, test, or decision",
    ],
  ];
  for (const [text, message] of complaints) {
    await expect(openDataset(file('bad.csv', text))).rejects.toThrow(message);
  }
  await expect(openDataset(join(folder, 'none.csv'))).rejects.toThrow('no such file or folder');
  await expect(openDataset('mnist=x')).rejects.toThrow(
    /^mnist=x: no such file .*the known datasets are sewerml, /,
  );
  await expect(openDataset('sewer-ml=x')).rejects.toThrow("did you mean 'sewerml'?");
  await expect(openDataset('sewerml')).rejects.toThrow('use sewerml=FOLDER');
  await expect(openDataset('sewerml=x')).rejects.toThrow("sewerml=x: no such folder 'x'");
});

test('any labels survive the round trip through a table', async () => {
  const soft = fc.float({ min: 0, max: 1, noNaN: true }).map(String);
  const cell = fc.oneof(fc.constantFrom('0', '1', '', '-1'), soft);
  const table = fc.array(fc.array(cell, { minLength: 40, maxLength: 40 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const header = ['Filename', ...rows[0]!.map((_, j) => `class ${j}`)].join(',');
      const lines = rows.map((cells, i) => [`${i}.png`, ...cells].join(','));
      const path = file('any.csv', [header, ...lines, ''].join('\n'));
      const { labels } = await openDataset(path, { splitFolder: splitFolder(rows.length), uncertain: 0.25 });
      const read = rows.map((cells, i) => cells.map((_, j) => labels.at(i, j)));
      const written: Readonly<Record<string, number>> = { '': Number.NaN, '-1': 0.25 };
      expect(read).toEqual(rows.map((cells) => cells.map((cell) => written[cell] ?? Number(cell))));
      const uncertain = rows.map((cells, i) => cells.map((_, j) => labels.isUncertain(i, j)));
      expect(uncertain).toEqual(rows.map((cells) => cells.map((cell) => cell === '-1')));
    }),
    { numRuns: 30 },
  );
});

function splitFolder(rows: number): string {
  file('splits/train.txt', Array.from({ length: rows }, (_, i) => `${i}.png\n`).join(''));
  return join(folder, 'splits');
}

test('the hint about columns that are not classes names all of them, and keeps those already ignored', async () => {
  const path = file(
    'visits.csv',
    'image,StudyDate,Sex,Ward,crack\na.png,20200101,F,7,1\nb.png,20200102,M,,0\n',
  );
  const refusal = async (ignoreColumns: readonly string[]) => {
    const error = await openDataset(path, { ignoreColumns }).catch((reason: unknown) => reason);
    return error instanceof UserError ? error.setting : error;
  };
  expect(await refusal([])).toBe('data.columns.ignore=["StudyDate","Sex","Ward"]');
  expect(await refusal(['Sex'])).toBe('data.columns.ignore=["Sex","StudyDate","Ward"]');
  const dataset = await openDataset(path, { ignoreColumns: ['StudyDate', 'Sex', 'Ward'] });
  expect(dataset.classes).toEqual(['crack']);
});
