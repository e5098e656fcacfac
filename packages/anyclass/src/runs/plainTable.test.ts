import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { readPlainTable } from './plainTable.js';
import { groupColumnOf, hasColumn, readTable, writeTable } from './scoreFiles.js';

const folder = testFolder();
const file = join(folder, 'scores.csv');
const read = (text: string) => {
  writeFileSync(file, text);
  return readPlainTable(file);
};

test('a written table is read back: names in any script, numbers bit for bit, empty cells for unknown', () => {
  const anyName = fc.stringMatching(/^[\p{L}\d][\p{L}\d ._/-]{0,8}[\p{L}\d]$/u);
  const anyValue = fc.oneof(fc.constantFrom(0, 1, Number.NaN), fc.double({ noNaN: true }));
  fc.assert(
    fc.property(
      fc.uniqueArray(anyName, { minLength: 1, maxLength: 5 }),
      fc.array(anyValue, { minLength: 10, maxLength: 10 }),
      (names, numbers) => {
        const values = Float64Array.from(numbers.slice(0, 2 * names.length));
        writeTable(file, { names, classNames: ['crack', 'roots'], values });
        const read = readPlainTable(file)!;
        expect({ ...read, values: [...read.values] }).toEqual({
          names,
          classNames: ['crack', 'roots'],
          values: Array.from(values, (value) => value + 0), // -0 is written as 0
        });
      },
    ),
    { numRuns: 60 },
  );
});

test('decimal numbers are read exactly as JavaScript reads them', () => {
  const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{0,${most}}$`));
  fc.assert(
    fc.property(digits(20), digits(25), fc.constantFrom('.', 'e-', '.e'), (whole, part, sign) => {
      const text = `${whole}${sign}${part}`;
      const expected = Number(text);
      const values = read(`Filename,crack\na,${text}\n`)?.values;
      expect(values && [...values]).toEqual(Number.isNaN(expected) ? undefined : [expected]);
    }),
    { numRuns: 300 },
  );
});

test('labels of 0 and 1 take a byte each; other values after them keep all', () => {
  expect(read('Filename,a,b\nx,0,1\ny,1,0\n')?.values).toEqual(Uint8Array.of(0, 1, 1, 0));
  expect(read('Filename,a,b\nx,0,1\ny,,0.25\n')?.values).toEqual(Float64Array.of(0, 1, Number.NaN, 0.25));
});

test('a file of several pieces is read whole', () => {
  const rows = 30_000;
  const line = (row: number) => `image ${row}${'x'.repeat(300)},${(row % 1000) / 1000}\n`;
  const table = read(`Filename,crack\n${Array.from({ length: rows }, (_, row) => line(row)).join('')}`)!;
  expect(table.names.length).toBe(rows);
  expect(table.values.length).toBe(rows);
  expect(table.names.every((name, row) => name === `image ${row}${'x'.repeat(300)}`)).toBe(true);
  expect([...table.values].every((value, row) => value === (row % 1000) / 1000)).toBe(true);
});

test('groups are the second column, whatever the classes are called', async () => {
  const table = { names: ['a', 'b'], groups: ['p 1', 'p,2'], values: [1, 0, Number.NaN, 1] };
  for (const classNames of [
    ['crack', 'roots'],
    ['group', '(group)'],
  ]) {
    const groupColumn = groupColumnOf(classNames);
    writeTable(file, { ...table, classNames });
    expect(hasColumn(file, groupColumn)).toBe(true);
    const { names, groups, values, ...read } = await readTable(file, { groupColumn });
    expect({ names, groups, values: [...values] }).toEqual(table);
    expect(read.classNames).toEqual(classNames);
    writeTable(file, { ...table, groups: ['p1', 'p2'], classNames });
    expect(readPlainTable(file, groupColumn)).toMatchObject({ groups: ['p1', 'p2'], classNames });
  }
});

test('a row without a group is refused with its line, and a table without the column with its columns', async () => {
  writeFileSync(file, 'Filename,patient,crack\na,p1,1\nb,,0\n');
  await expect(readTable(file, { groupColumn: 'patient' })).rejects.toThrow(
    /line 3: group 'patient' is empty/,
  );
  await expect(readTable(file, { groupColumn: 'pipe' })).rejects.toThrow(
    /no column 'pipe' with groups; it has Filename, patient, crack/,
  );
});

test.each([
  ['quotes', 'Filename,crack\n"a,b",1\n'],
  ['Windows line endings', 'Filename,crack\r\na,1\r\n'],
  ['no newline at the end', 'Filename,crack\na,1'],
  ['names in another column', 'crack,Filename\n1,a\n'],
  ['labels for people', 'Filename,crack,labels\na,1,crack\n'],
  ['a duplicate class', 'Filename,crack,crack\na,1,1\n'],
  ['a cell too few', 'Filename,crack,roots\na,1\nb,1,0\n'],
  ['a cell too many', 'Filename,crack\na,1,0\n'],
  ['text instead of a number', 'Filename,crack\na,much\n'],
  ['spaces', 'Filename,crack\na, \n'],
  ['an empty line', 'Filename,crack\n\na,1\n'],
  ['no rows', 'Filename,crack\n'],
])('a table with %s is left to the general reader', (_, text) => {
  expect(read(text)).toBeUndefined();
});

test('a missing file is left to the general reader, which names it', async () => {
  expect(readPlainTable(join(folder, 'nowhere.csv'))).toBeUndefined();
  await expect(readTable(join(folder, 'nowhere.csv'))).rejects.toThrow('nowhere.csv');
});
