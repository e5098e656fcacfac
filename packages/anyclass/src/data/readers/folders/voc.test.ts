import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { treeWriter, vocXml } from '../../../../test/labelLayouts.js';
import { openDataset } from '../../openDataset.js';
import { vocLabels } from './vocAnnotation.js';

const folder = testFolder();
const tree = treeWriter(folder);

test.each<[string, string, RegExp]>([
  [
    'an object without a name',
    '<annotation><object><pose/></object></annotation>',
    /a\.xml, line 1: an object has no <name>/,
  ],
  [
    'an object with two names',
    '<annotation><object><name>a</name><name>b</name></object></annotation>',
    /two <name>/,
  ],
  ['something other than VOC', '<svg></svg>', /a\.xml: <svg>; expected Pascal VOC's <annotation>/],
  ['truncated XML', '<annotation>\n<object><name>cat', /a\.xml, line 2: not well-formed XML/],
  ['an entity', '<annotation><object><name>&boom;</name></object></annotation>', /not well-formed XML/],
  [
    'an entity bomb',
    '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><annotation><object><name>&b;</name></object></annotation>',
    /a\.xml, line 1: a DOCTYPE/,
  ],
  [
    'an invalid difficulty',
    vocXml('a.jpg', ['cat']).replace('>0</difficult>', '>maybe</difficult>'),
    /<difficult> is 'maybe'/,
  ],
])('Pascal VOC: %s is refused', async (_, xml, message) => {
  const root = tree({ 'Annotations/a.xml': xml, 'JPEGImages/a.jpg': '' });
  await expect(openDataset(root)).rejects.toThrow(message);
});

test('Pascal VOC: images without an annotation are unknown, or negative if so configured', async () => {
  const root = tree({ 'a.jpg': '', 'a.xml': vocXml('a.jpg', ['cat']), 'b.jpg': '' });
  const dataset = await openDataset(root);
  expect([0, 1].map((row) => dataset.labels.presence(row))).toEqual(['positive', 'undecided']);
  expect(dataset.remarks[0]?.text).toContain('image without an annotation: labels unknown');
  const negative = await openDataset(root, { unlabeled: 'negative' });
  expect([0, 1].map((row) => negative.labels.presence(row))).toEqual(['positive', 'negative']);
});

test('Pascal VOC: an image in two lists is refused with both places', async () => {
  const root = tree({
    'Annotations/a.xml': vocXml('a.jpg', ['cat']),
    'JPEGImages/a.jpg': '',
    'ImageSets/Main/train.txt': 'a\n',
    'ImageSets/Main/val.txt': 'a\n',
  });
  await expect(openDataset(root)).rejects.toThrow(/val\.txt, line 1: 'a' is already in .*train\.txt, line 1/);
});

test('any names survive the round trip through XML', () => {
  const name = fc
    .string({ minLength: 1, unit: 'grapheme' })
    .filter((text) => text.trim() === text && !/[\p{Cc}\p{Cn}\p{Cs}]/u.test(text));
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  fc.assert(
    fc.property(fc.array(name), (found) => {
      const xml = `<annotation>${found.map((text) => `<object><name>${escaped(text)}</name></object>`).join('\n')}</annotation>`;
      expect(vocLabels(xml, 'a.xml').present).toEqual(new Set(found));
    }),
  );
});
