import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { fileWriter, vocXml } from '../../../../test/labelLayouts.js';
import { skippedWords } from '../../images/formats/imageFiles.js';
import { openDataset } from '../../openDataset.js';

const folder = testFolder();

test.each<[string, Readonly<Record<string, string>>]>([
  [
    'YOLO',
    {
      'data.yaml': 'train: images\nnames: [cat, dog]\n',
      'images/a.jpg': '',
      'images/b.jpg': '',
      'images/notes.docx': '',
      'images/raw/x.cr2': '',
      'images/Thumbs.db': '',
      'labels/a.txt': '0 .5 .5 .1 .1',
    },
  ],
  [
    'Pascal VOC',
    {
      'train/a.jpg': '',
      'train/a.xml': vocXml('a.jpg', ['cat']),
      'train/notes.docx': '',
      'train/raw/x.cr2': '',
      'train/Thumbs.db': '',
    },
  ],
  [
    'the development kit of Pascal VOC',
    {
      'JPEGImages/a.jpg': '',
      'JPEGImages/notes.docx': '',
      'JPEGImages/Thumbs.db': '',
      'JPEGImages/raw/x.cr2': '',
      'Annotations/a.xml': vocXml('a.jpg', ['cat']),
    },
  ],
])('%s: files that are not images are skipped, counted, and named', async (title, files) => {
  const root = join(folder, title.replaceAll(' ', '-'));
  const write = fileWriter(root);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const { remarks } = await openDataset(root);
  const skipped = remarks.find(({ text }) => text === skippedWords[1]);
  expect(skipped?.count).toBe(3);
  expect(skipped?.examples.join()).toMatch(/Thumbs\.db/);
  expect(skipped?.examples.join()).toMatch(/notes\.docx/);
  expect(skipped?.examples.join()).toMatch(/x\.cr2/);
});
