import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { sewermlClasses } from '../data/readers/known/sewerml.js';
import { readTable } from '../runs/scoreFiles.js';
import { fixedDecision } from './modelDecision.js';
import { outputOf } from './outputFormats.js';

const decision = fixedDecision(['crack', 'roots'], 0.5);

test('CSV and JSON lines say negative if no class is predicted, and include details on request', () => {
  const classes = ['crack', 'roots'];
  const prediction = {
    name: 'a,b.png',
    probabilities: Float32Array.of(0.25, 0.5),
    presenceScore: Math.log(2),
    outcome: 'clear' as const,
    labels: [],
  };
  const csv = outputOf('csv', { classes, decision });
  expect([csv.header, csv.line(prediction)]).toEqual([
    'Filename,crack,roots,labels',
    '"a,b.png",0.25,0.5,negative',
  ]);
  expect(csv.line({ ...prediction, labels: classes })).toContain('crack|roots');
  const detailed = outputOf('csv', { classes, decision, details: true, top: 1 });
  expect([detailed.header, detailed.line({ ...prediction, labels: ['roots'] })]).toEqual([
    'Filename,crack,roots,presence,gate,thresholds,top,labels',
    '"a,b.png",0.25,0.5,0.5,0,0.5,roots 0.5,roots',
  ]);
  const json = outputOf('jsonl', { classes, decision });
  expect(JSON.parse(json.line(prediction))).toEqual({
    Filename: 'a,b.png',
    labels: [],
    negative: true,
    outcome: 'clear',
    probabilities: { crack: 0.25, roots: 0.5 },
  });
  const full = outputOf('jsonl', { classes, decision, details: true, top: 2 });
  expect(JSON.parse(full.line({ ...prediction, labels: ['roots'] }))).toMatchObject({
    presence: 0.5,
    gate: 0,
    thresholds: { roots: 0.5 },
    top: { roots: 0.5, crack: 0.25 },
  });
});

test("the SewerML format has the benchmark's 17 columns in order, and names without folders", () => {
  const classes = Object.keys(sewermlClasses).reverse();
  const { header, line } = outputOf('sewerml', { classes, decision });
  expect(header).toBe(`Filename,${Object.keys(sewermlClasses).join(',')}`);
  const probabilities = Float32Array.from(classes, (_, j) => j / 32);
  expect(
    line({ name: 'test/00001.png', probabilities, presenceScore: 0, outcome: 'clear' as const, labels: [] }),
  ).toMatch(/^00001.png,0.5,.*,0$/);
  expect(() => outputOf('sewerml', { classes: ['RB'], decision })).toThrow('the model lacks OB');
});

test('ambiguous labels become a JSON list in the table', () => {
  const decision = fixedDecision(['a|b', 'a', 'b'], 0.5);
  const prediction = {
    name: 'x.png',
    probabilities: Float32Array.of(1, 0, 1),
    presenceScore: 1,
    outcome: 'clear' as const,
  };
  const { line } = outputOf('csv', { classes: decision.classNames, decision, top: 1 });
  expect(line({ ...prediction, labels: ['a|b', 'b'] })).toBe('x.png,1,0,1,"{""a|b"":1}","[""a|b"",""b""]"');
  expect(line({ ...prediction, labels: [] })).toMatch(/,\[\]$/);
  const plain = outputOf('csv', { classes: ['a', 'b', 'c'], decision: fixedDecision(['a', 'b', 'c'], 0.5) });
  expect(plain.line({ ...prediction, labels: ['a', 'b'] })).toMatch(/,a\|b$/);
});

test('with a decision that leaves images for review, the table has their outcome', () => {
  const classes = ['crack', 'roots'];
  const csv = outputOf('csv', { classes, decision: { ...decision, clear: 0.2 } });
  const prediction = {
    name: 'a.png',
    probabilities: Float32Array.of(0.25, 0.5),
    presenceScore: 1,
    labels: [],
  };
  expect([csv.header, csv.line({ ...prediction, outcome: 'review' })]).toEqual([
    'Filename,crack,roots,outcome,labels',
    'a.png,0.25,0.5,review,negative',
  ]);
});

test.each([
  [['crack', 'roots'], 'labels'],
  [['group', 'outcome'], '(labels)'],
  [['odd', '(top)'], '((labels))'],
  [['presence', 'labels'], '(labels)'],
])(
  'probabilities are read back from the table with all its columns, with the classes %s',
  async (classes, labels) => {
    const own = fixedDecision(classes, 0.5);
    const prediction = {
      name: 'a.png',
      probabilities: Float32Array.of(0.25, 0.5),
      presenceScore: 1,
      outcome: 'review' as const,
      odd: 'too dark' as const,
      labels: classes.slice(1),
    };
    const file = join(testFolder(), 'predictions.csv');
    for (const groupOf of [undefined, () => 'p1']) {
      const decision = { ...own, clear: 0.2 };
      const csv = outputOf('csv', { classes, decision, hasGuard: true, groupOf, details: true, top: 2 });
      expect(csv.header?.endsWith(`,${labels}`)).toBe(true);
      writeFileSync(file, `${csv.header}\n${csv.line(prediction)}\n`);
      const { classNames, values } = await readTable(file);
      expect([classNames, [...values]]).toEqual([classes, [0.25, 0.5]]);
      // Without any but that of the labels.
      const plain = outputOf('csv', { classes, decision: own });
      writeFileSync(file, `${plain.header}\n${plain.line(prediction)}\n`);
      expect((await readTable(file)).classNames).toEqual(classes);
    }
  },
);
