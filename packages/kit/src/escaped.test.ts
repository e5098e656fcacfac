import { expect, test } from 'vitest';
import { gallery, looks } from './blocks/cards.js';
import { foundBars } from './blocks/strips.js';
import { facts, folded, note, panel, verdict } from './blocks/words.js';
import { bars, columns } from './chart/bars.js';
import { dots } from './chart/dots.js';
import { forest } from './chart/forest.js';
import { lineChart } from './chart/lineChart.js';
import { matrix } from './chart/matrix.js';
import { parallel } from './chart/parallel.js';
import { breakable, escaped, unbroken, verbatim, visible } from './escaped.js';

const hostile = '<img src=x onerror="alert(1)">&\u202e\u0007\u2066';

test('markup, control characters and bidirectional marks become visible text', () => {
  expect(escaped(hostile)).toBe('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;⟨RLO⟩␇⟨LRI⟩');
  expect(escaped('a\u0085b\u007f')).toBe('a⟨U+0085⟩b⟨U+007F⟩');
  expect(escaped('שלום\tline\nbreak')).toBe('שלום\tline\nbreak');
});

test('text to copy changes nothing but markup', () => {
  expect(visible('a\u202e<\u0007')).toBe('a⟨RLO⟩<␇');
  expect(verbatim('a\u202e<')).toBe('a\u202e&lt;');
});

test('every function escapes the names that it is given', () => {
  const line = { name: hostile, points: [0, 1].map((x) => ({ x, y: x, low: 0, high: 1 })) };
  const tick = { at: 0.5, text: hostile };
  const all = [
    lineChart([line], { label: hostile, x: hostile, y: hostile, xTicks: [tick], mark: tick }),
    dots(hostile, [{ name: hostile, value: 0.4 }]),
    bars(hostile, [{ name: hostile, value: 1, text: hostile }]),
    columns(hostile, hostile, [{ text: hostile, value: 1 }]),
    forest(hostile, [
      { title: hostile, rows: [{ name: hostile, value: 0, low: 0, high: 0, state: 'open' }] },
    ]),
    matrix(hostile, [hostile], [[{ share: 1, text: hostile, label: hostile }]]),
    parallel(hostile, [{ name: hostile, ticks: [tick] }], [{ label: hostile, places: [0.5] }]),
    foundBars([{ name: hostile, present: 2, found: 1, other: 0 }]),
    gallery([
      {
        image: 'data:,',
        alt: hostile,
        title: hostile,
        remark: hostile,
        file: hostile,
        bars: [{ name: hostile, value: 0.5, threshold: null }],
      },
    ]),
    looks([
      { image: 'data:,', alt: '', title: hostile, remark: hostile, tone: 'found', href: `#${hostile}` },
    ]),
    verdict({ tags: [{ tone: 'found', text: hostile }], headline: hostile, text: '' }),
    panel(hostile, hostile, ''),
    facts([[hostile, '']]),
    note(hostile),
    folded(hostile, hostile, ''),
  ];
  for (const html of all) {
    expect(html).not.toContain('<img src=x');
    for (const mark of ['\u202e', '\u0007', '\u2066']) expect(html).not.toContain(mark);
    expect(html).toContain('⟨RLO⟩');
  }
});

test('a name may be broken after its separators, and markup stays text', () => {
  expect(breakable('Pleural_Thickening')).toBe('Pleural_<wbr>Thickening');
  expect(breakable('a/<b>')).toBe('a/&lt;b&gt;');
  expect(breakable('bce@lambda=0.2')).toBe('bce@<wbr>lambda=<wbr>0.2');
});

test('a short word with a hyphen is not broken, nor a number from its unit, and a long name may be', () => {
  const whole = '<span class="unbroken">any-bce</span>';
  expect(unbroken('any-bce λ=0.02 beats "bce".')).toBe(`${whole} λ=0.02 beats &quot;bce&quot;.`);
  expect(unbroken('Keep any-bce.')).toBe(`Keep ${whole}.`);
  expect(unbroken('Use bce at 32 px.')).toBe('Use bce at <span class="unbroken">32 px</span>.');
  expect(unbroken('<i>-b extraordinarily-long')).toBe('&lt;i&gt;-b extraordinarily-long');
});
