import { fixedColors, lightColors } from './colors.js';
import { chartStyle } from './style/chart.js';

/**
 * The script of pages: switches the theme, shows values under the pointer, switches between panels, hides heat maps (H),
 * sorts tables by a column, opens folded parts for printing, and saves or copies tables, charts and commands. Without it,
 * all content is visible, including panels that a choice would hide.
 */
export const kitScript = `
'use strict';
const root = document.documentElement;
const theme = document.getElementById('theme');
const themes = [['', 'system'], ['light', 'light'], ['dark', 'dark']];
if (theme) {
  theme.hidden = false;
  theme.addEventListener('click', () => {
    const at = (themes.findIndex(([name]) => name === (root.dataset.theme ?? '')) + 1) % themes.length;
    const [name, text] = themes[at];
    if (name === '') delete root.dataset.theme; else root.dataset.theme = name;
    theme.textContent = 'Theme: ' + text;
  });
}

const mark = document.getElementById('mark');
if (mark) {
  document.addEventListener('pointerover', (event) => {
    const labeled = event.target.closest('[data-label]');
    mark.hidden = labeled === null;
    if (labeled === null) return;
    mark.textContent = labeled.dataset.label;
    const box = mark.getBoundingClientRect();
    mark.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 4)) + 'px';
    mark.style.top = Math.max(4, event.clientY - box.height - 8) + 'px';
  });
  document.addEventListener('scroll', () => { mark.hidden = true; }, true);
}

const heatButton = document.getElementById('heat-maps');
const switchHeat = () => {
  const isHidden = document.body.classList.toggle('no-heat');
  heatButton.setAttribute('aria-pressed', String(!isHidden));
};
if (heatButton) {
  heatButton.hidden = false;
  heatButton.addEventListener('click', switchHeat);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select');
    if (event.key === 'h' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping) switchHeat();
  });
}

addEventListener('beforeprint', () => {
  for (const part of document.querySelectorAll('details:not([open])')) { part.open = true; part.dataset.printed = ''; }
});
addEventListener('afterprint', () => {
  for (const part of document.querySelectorAll('details[data-printed]')) { part.open = false; delete part.dataset.printed; }
});

for (const choose of document.querySelectorAll('.choose')) {
  const show = () => {
    const chosen = choose.querySelector(':scope > fieldset input:checked').value;
    for (const panel of choose.querySelectorAll(':scope > [data-panel]')) panel.hidden = panel.dataset.panel !== chosen;
  };
  choose.addEventListener('change', show);
  show();
}

for (const table of document.querySelectorAll('.block table')) {
  const body = table.tBodies[0];
  const heads = table.tHead ? [...(table.tHead.rows[table.tHead.rows.length - 1]?.cells ?? [])] : [];
  if (body.rows.length < 2 || heads.length === 0 || heads.some((head) => head.colSpan > 1)) continue;
  table.classList.add('sortable');
  const keyOf = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.classList.contains('right') ? null : cell.textContent;
  };
  for (const [at, head] of heads.entries()) {
    if (head.textContent === '') continue;
    const sort = () => {
      const isText = [...body.rows].every((row) => typeof keyOf(row, at) === 'string');
      const before = head.getAttribute('aria-sort');
      const order = before === null ? (isText ? 1 : -1) : before === 'ascending' ? -1 : 1;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', order === 1 ? 'ascending' : 'descending');
      const compare = (a, b) => a === b ? 0 : a === null ? 1 : b === null ? -1 : order * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
      body.append(...[...body.rows].sort((a, b) => compare(keyOf(a, at), keyOf(b, at))));
    };
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', sort);
  }
}

const lightColors = ${JSON.stringify(lightColors)};
const chartStyle = ${JSON.stringify(fixedColors(chartStyle))};
const svgOf = (chart) => {
  const [left, right, top, bottom] = chart.dataset.space.split(' ').map(Number);
  const { width, height } = chart.getBoundingClientRect();
  const copy = chart.cloneNode(true);
  copy.removeAttribute('style');
  copy.removeAttribute('data-space');
  for (const [name, value] of [['width', width], ['height', height], ['overflow', 'visible']]) copy.setAttribute(name, value);
  const box = [-left, -top, width + left + right, height + top + bottom];
  const inner = new XMLSerializer().serializeToString(copy).replaceAll(/var\\(--([\\w-]+)\\)/g, (variable, name) => lightColors[name] ?? variable);
  return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="' + box.join(' ') + '" width="' + box[2] + '" height="' + box[3] + '"><style>' + chartStyle + '</style>' + inner + '</svg>';
};
const textOf = (button) => {
  const block = button.closest('.block');
  if (button.dataset.kind === 'svg') return svgOf(block.querySelector('svg.chart'));
  return block.querySelector('textarea[name=' + button.dataset.kind + ']').value;
};
const types = { csv: 'text/csv', md: 'text/markdown', tex: 'text/x-tex', svg: 'image/svg+xml' };
const told = (button, text) => {
  const before = button.dataset.text ??= button.textContent;
  button.textContent = text;
  setTimeout(() => { button.textContent = before; }, 1200);
};
const copy = async (button, text) => {
  try {
    await navigator.clipboard.writeText(text);
    told(button, 'Copied');
  } catch {
    told(button, 'Copying is blocked');
  }
};
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-act]');
  if (button === null) return;
  const { kind, act } = button.dataset;
  if (act === 'copy-command') return copy(button, button.closest('.command').querySelector('pre').textContent);
  if (act === 'copy') return copy(button, textOf(button));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([textOf(button)], { type: types[kind] }));
  link.download = button.closest('.block').dataset.name + '.' + kind;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
`;
