import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvTable, htmlTable, latexTable, markdownTable, type Table, textTable } from './index.js';
import { escapedLatex } from './latex.js';
import { escapedMarkdown } from './markdown.js';
import { alignedColumns } from './text.js';

const results: Table = {
  title: 'Test, λ 0.02',
  note: 'Percent; mean ± standard deviation of 3 seeds.',
  columns: [
    { title: 'loss', kind: 'text' },
    { title: 'F1', kind: 'percent', group: 'validation' },
    { title: 'mAP', kind: 'percent', group: 'validation' },
    { title: 'F1', kind: 'difference', group: 'test' },
    { title: 'images', kind: 'count' },
  ],
  rows: [
    ['bce', { value: 0.6313, spread: 0.0021 }, 0.65, null, 12345],
    [
      'any_bce',
      { value: 0.6423, spread: 0.0018, emphasis: 'strong' },
      0.6686,
      { value: -0.0305, interval: { low: -0.05, high: 0.00001 } },
      7,
    ],
  ],
};

test('text is aligned, groups are above their columns, and differences have a sign', () => {
  expect(textTable(results)).toBe(`Test, λ 0.02

             validation               test
loss               F1    mAP                     F1  images
bce      63.13 ± 0.21  65.00                      –  12,345
any_bce  64.23 ± 0.18  66.86  −3.05 (−5.00 to 0.00)       7

Percent; mean ± standard deviation of 3 seeds.`);
});

test('CSV has full precision, with columns for spreads and interval bounds', () => {
  expect(
    csvTable(results),
  ).toBe(`loss,validation F1,validation F1 spread,validation mAP,test F1,test F1 low,test F1 high,images
bce,0.6313,0.0021,0.65,"","","",12345
any_bce,0.6423,0.0018,0.6686,-0.0305,-0.05,0.00001,7
`);
});

test('Markdown and LaTeX emphasize strong cells and escape special characters', () => {
  expect(markdownTable(results)).toContain(
    '| any\\_bce | **64.23 ± 0.18** | 66.86 | −3.05 (−5.00 to 0.00) | 7 |',
  );
  const latex = latexTable(results);
  expect(latex).toContain('\\multicolumn{2}{c}{validation}');
  expect(latex).toContain('\\cmidrule(lr){2-3} \\cmidrule(lr){4-4}');
  expect(latex).toContain(
    'any\\_bce & \\textbf{64.23 $\\pm$ 0.18} & 66.86 & $-$3.05 ($-$5.00 to 0.00) & 7 \\\\',
  );
  expect(latex).toContain('\\caption{Test, $\\lambda$ 0.02. Percent; mean $\\pm$');
});

test('HTML cells carry the full-precision value', () => {
  expect(htmlTable(results)).toContain(
    '<td class="right strong" data-value="0.6423">64.23 <span class="uncertainty">± 0.18</span></td>',
  );
  expect(htmlTable(results)).toContain('<th scope="colgroup" colspan="2" class="group">validation</th>');
});

test('an interval that excludes 0 has no bound of 0.00 in any format', () => {
  const difference = (low: number, high: number): Table => ({
    title: 'Test',
    columns: [{ title: 'F1', kind: 'difference' }],
    rows: [[{ value: (low + high) / 2, interval: { low, high } }]],
  });
  const above = difference(0.00003, 0.0128);
  expect(textTable(above)).toContain('+0.64 (+0.003 to +1.28)');
  expect(markdownTable(above)).toContain('+0.64 (+0.003 to +1.28)');
  expect(htmlTable(above)).toContain('+0.64 <span class="uncertainty">(+0.003 to +1.28)</span>');
  const below = difference(-0.0077, -0.000004);
  expect(textTable(below)).toContain('−0.39 (−0.77 to −0.0004)');
  expect(latexTable(below)).toContain('$-$0.39 ($-$0.77 to $-$0.0004)');
  expect(textTable(difference(-0.0077, 0.000004))).toContain('−0.38 (−0.77 to 0.00)');
  expect(textTable(difference(0, 0.0128))).toContain('+0.64 (0.00 to +1.28)');
  expect(textTable(difference(0.00001, 0.00003))).toContain('+0.002 (+0.001 to +0.003)');
});

test('a row of the wrong length is refused with its number', () => {
  expect(() => textTable({ ...results, rows: [...results.rows, ['focal']] })).toThrow(
    "table 'Test, λ 0.02', row 3: 1 cells, but the table has 5 columns",
  );
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'\\{}$&#%_^~<>|"\',\n\r *`[]λ±−a1') }),
);
const anyTable = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 }))
  .chain(([width, height]) =>
    fc.record({
      title: anyText,
      columns: fc.array(fc.record({ title: anyText, kind: fc.constant('text' as const) }), {
        minLength: width,
        maxLength: width,
      }),
      rows: fc.array(
        fc.array(fc.oneof(anyText, fc.double({ noNaN: true })), { minLength: width, maxLength: width }),
        {
          minLength: height,
          maxLength: height,
        },
      ),
    }),
  );

test('any table survives the round trip through CSV', () => {
  fc.assert(
    fc.property(anyTable, (table) => {
      const plain = (cell: unknown) =>
        typeof cell === 'string' ? cell.replace(/^(?=[=+\-@\t\r])/, "'") : String(cell);
      const expected = [
        table.columns.map(({ title }) => plain(title)),
        ...table.rows.map((row) => row.map(plain)),
      ];
      expect(parse(csvTable(table))).toEqual(expected);
    }),
  );
});

test('any text survives the round trip through LaTeX: nothing in it acts as a command', () => {
  const meaning = new Map([
    ['\\textbackslash{}', '\\'],
    ['\\textasciicircum{}', '^'],
    ['\\textasciitilde{}', '~'],
    ['$<$', '<'],
    ['$>$', '>'],
    ['$|$', '|'],
    ['$\\pm$', '±'],
    ['$-$', '−'],
    ['$\\lambda$', 'λ'],
    ['$\\alpha$', 'α'],
    ['$\\beta$', 'β'],
    ['$\\gamma$', 'γ'],
    ['$\\Delta$', 'Δ'],
    ['$\\geq$', '≥'],
  ]);
  const token = /\\text[a-z]+\{\}|\$[^$]+\$|\\[{}$&#%_]|[\s\S]/gu;
  fc.assert(
    fc.property(anyText, (text) => {
      const read = (escapedLatex(text).match(token) ?? []).map((piece) => {
        if (piece.length === 1) expect(piece).not.toMatch(/[\\{}$&#%_^~]/);
        return meaning.get(piece) ?? (piece.length === 2 && piece[0] === '\\' ? piece[1] : piece);
      });
      expect(read.join('')).toBe(text.replaceAll(/\s*[\r\n]+\s*/g, ' '));
    }),
  );
});

test('any text survives the round trip through HTML but for invisible characters, which get names, and no text creates an element', () => {
  const entities = new Map([
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['&quot;', '"'],
    ['&amp;', '&'],
  ]);
  // Control characters and direction marks, and the names that stand for them in HTML.
  const plain = (text: string) =>
    text.replaceAll(
      /(?![\t\n\r])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u2400-\u241f]|⟨[A-Z0-9+]+⟩/gu,
      '?',
    );
  fc.assert(
    fc.property(anyTable, (table) => {
      // Where a long name may be broken is no text.
      const html = htmlTable(table).replaceAll('<wbr>', '');
      const tags = html.match(/<\/?[a-z]+/g) ?? [];
      expect(new Set(tags.map((tag) => tag.replace(/<\/?/, '')))).toSatisfy((names: Set<string>) =>
        [...names].every((name) => ['table', 'caption', 'thead', 'tbody', 'tr', 'th', 'td'].includes(name)),
      );
      const cells = [...html.matchAll(/<(?:td|th)[^>]*>([^<]*)<\/(?:td|th)>/g)].map((match) =>
        plain(match[1]!.replaceAll(/&[a-z]+;/g, (entity) => entities.get(entity)!)),
      );
      const header = table.columns.some(({ title }) => title !== '')
        ? table.columns.map(({ title }) => title)
        : [];
      expect(cells).toEqual([...header, ...table.rows.flat().map(String)].map(plain));
    }),
  );
});

test('Markdown keeps the shape of a table with any text', () => {
  fc.assert(
    fc.property(anyTable, (table) => {
      const lines = markdownTable({ ...table, title: '' })
        .trimEnd()
        .split('\n');
      expect(lines).toHaveLength(2 + table.rows.length);
      for (const line of lines) {
        expect(line.replaceAll(/\\./g, '').match(/\|/g)).toHaveLength(table.columns.length + 1);
      }
    }),
  );
  expect(escapedMarkdown('a|b')).toBe('a\\|b');
});

test('CSV disarms text that a spreadsheet would take for a formula; numbers stay numbers', () => {
  const table = {
    title: '',
    columns: [
      { title: '=class', kind: 'text' },
      { title: 'gain', kind: 'difference' },
    ] as const,
    rows: [
      ['=HYPERLINK("http://x")', -1.5],
      ['+1', 2],
      ['-a', 3],
      ['@sum', 4],
      ['plain', 5],
    ],
  };
  expect(csvTable(table).split('\n')).toEqual([
    "'=class,gain",
    `"'=HYPERLINK(""http://x"")",-1.5`,
    "'+1,2",
    "'-a,3",
    "'@sum,4",
    'plain,5',
    '',
  ]);
});

test('text tables keep their columns whatever names hold', () => {
  const text = alignedColumns([
    ['class', 'F1'],
    ['ro\u202eot\ncrack', '1.00'],
  ]);
  expect(text.split('\n')).toEqual(['class                F1', 'ro\\u202eot\\ncrack  1.00']);
});
