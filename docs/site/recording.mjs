// Records a terminal session as an SVG that plays by itself: node docs/site/recording.mjs writes docs/pictures/terminal.svg. The commands run in a
// temporary folder with photos, from the weights of the example run that `npm run docs` makes, and what they print is what the picture shows.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataset } from 'anyclass/data';
import sharp from 'sharp';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'anyclass-recording-'));
try {
  await writePhotos(folder);
  const session = [
    ['anyclass init photos --out photos.json', /training image|^λ|^input|^wrote/],
    [
      'anyclass train photos.json --run runs/photos --set network.weights=runs/digits --set epochs=2',
      / on cpu in |^epoch \d+: |^With its decision|^report|^next/,
    ],
    ['anyclass predict runs/photos new/*.png --out labels.csv', /./],
    ['cut -d, -f1,8 labels.csv', /./],
  ].map(([line, told]) => ({ line, lines: shown(printed(line), told) }));
  mkdirSync(join(root, 'docs/pictures'), { recursive: true });
  writeFileSync(join(root, 'docs/pictures/terminal.svg'), svg(session));
} finally {
  rmSync(folder, { recursive: true });
}

/** Scenes of digits as a user would have photos: files, and a table of labels. */
async function writePhotos(place) {
  const [known, unknown] = [600, 6];
  const { images, splits, labels, classes } = await openDataset('digits', {
    digits: { scenes: { train: known, validation: 1, test: unknown } },
  });
  for (const name of ['photos', 'new', 'runs']) mkdirSync(join(place, name));
  symlinkSync(join(root, 'build/example-runs/digits'), join(place, 'runs/digits'));
  const rows = [`Filename,${classes.map((name) => `digit ${name}`).join()}`];
  for (const [i, row] of [...splits.train, ...splits.test].entries()) {
    const { pixels, width, height, channels } = await images.read(row);
    const path = i < known ? `photos/${i}.png` : `new/${i - known}.png`;
    await sharp(pixels, { raw: { width, height, channels } }).png().toFile(join(place, path));
    if (i < known) rows.push(`${i}.png,${classes.map((_, j) => labels.at(row, j)).join()}`);
  }
  writeFileSync(join(place, 'photos/labels.csv'), `${rows.join('\n')}\n`);
}

function printed(line) {
  const program = `${process.execPath} ${join(root, 'packages/anyclass/bin/anyclass.js')}`;
  const { stdout, status } = spawnSync('bash', ['-c', `${line.replace(/^anyclass/, program)} 2>&1`], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${line}: ${stdout}`);
  return stdout;
}

/** The lines that tell the story; '…' stands for those in between. */
function shown(text, told) {
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => !/images, [\d.]+\/s/.test(line) && line.trim() !== '')
    .map((line) => (told.test(line) ? line : '…'));
  return lines.filter((line, i) => line !== '…' || lines[i - 1] !== '…');
}

function svg(session) {
  const [columns, rowHeight, top] = [120, 19, 40];
  let [row, time] = [0, 0.5];
  const parts = session.flatMap(({ line, lines }) => {
    const typed = { text: `$ ${line}`, isCommand: true, at: time };
    time += 1.2;
    const answers = lines.map((text, i) => ({ text, isCommand: false, at: time + 0.12 * i }));
    time += 1.2 + 0.12 * lines.length;
    return [typed, ...answers];
  });
  const texts = parts.flatMap(({ text, isCommand, at }) => {
    const pieces = wrapped(text, columns);
    return pieces.map(
      (piece) =>
        `<text x="20" y="${top + rowHeight * ++row}" class="${isCommand ? 'command' : 'answer'}" style="animation-delay:${at.toFixed(2)}s">${piece.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`,
    );
  });
  const height = top + rowHeight * (row + 1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 ${height}" width="1000" height="${height}" role="img" aria-label="A terminal: anyclass init, train and predict">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;animation:appear .01s both}.command{fill:#7fa8ff;font-weight:600}.answer{fill:#dfe4ea}@keyframes appear{from{opacity:0}to{opacity:1}}@media (prefers-reduced-motion:reduce){text{animation:none}}</style>
<rect width="1000" height="${height}" rx="10" fill="#12161c"/><circle cx="24" cy="20" r="6" fill="#464f5d"/><circle cx="44" cy="20" r="6" fill="#464f5d"/><circle cx="64" cy="20" r="6" fill="#464f5d"/>
${texts.join('\n')}
</svg>
`;
}

/** Lines of at most so many signs, broken between words. */
function wrapped(text, columns) {
  const lines = [''];
  for (const word of text.split(/(?<= )/)) {
    if (lines.at(-1).length + word.trimEnd().length > columns) lines.push('  ');
    lines.push(lines.pop() + word);
  }
  return lines;
}
