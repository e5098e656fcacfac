/**
 * The script of pages: switches the theme, shows values under the pointer, switches between panels, sorts
 * tables by a column, and saves or copies tables and charts. Without it, all content is visible, including
 * panels that a choice would hide.
 */
export const pageScript = `
'use strict';
const root = document.documentElement;
const theme = document.getElementById('theme');
const themes = [['', 'system'], ['light', 'light'], ['dark', 'dark']];
theme.hidden = false;
theme.addEventListener('click', () => {
  const at = (themes.findIndex(([name]) => name === (root.dataset.theme ?? '')) + 1) % themes.length;
  const [name, text] = themes[at];
  if (name === '') delete root.dataset.theme; else root.dataset.theme = name;
  theme.textContent = 'Theme: ' + text;
});

const mark = document.getElementById('mark');
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

for (const choice of document.querySelectorAll('.choice')) {
  const show = () => {
    const chosen = choice.querySelector(':scope > fieldset input:checked').value;
    for (const panel of choice.querySelectorAll(':scope > [data-panel]')) panel.hidden = panel.dataset.panel !== chosen;
  };
  choice.addEventListener('change', show);
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
    const sort = () => {
      const isText = [...body.rows].every((row) => typeof keyOf(row, at) === 'string');
      const before = head.getAttribute('aria-sort');
      const order = before === null ? (isText ? 1 : -1) : before === 'ascending' ? -1 : 1;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', order === 1 ? 'ascending' : 'descending');
      const compare = (a, b) => a === b ? 0 : a === null ? 1 : b === null ? -1 : order * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
      body.append(...[...body.rows].sort((a, b) => compare(keyOf(a, at), keyOf(b, at))));
    };
    head.tabIndex = 0;
    head.addEventListener('click', sort);
    head.addEventListener('keydown', (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); sort(); } });
  }
}

const textOf = (button) => {
  const block = button.closest('.block');
  if (button.dataset.kind !== 'svg') return block.querySelector('textarea[name=' + button.dataset.kind + ']').value;
  const svg = new XMLSerializer().serializeToString(block.querySelector('svg'));
  return svg.replaceAll(/var\\(--[\\w-]+, (#[0-9a-f]{6})\\)/g, '$1');
};
const types = { csv: 'text/csv', md: 'text/markdown', tex: 'text/x-tex', svg: 'image/svg+xml' };
const told = (button, text) => {
  const before = button.textContent;
  button.textContent = text;
  setTimeout(() => { button.textContent = before; }, 1200);
};
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-kind]');
  if (button === null) return;
  const { kind, act } = button.dataset;
  if (act === 'copy') {
    try {
      await navigator.clipboard.writeText(textOf(button));
      told(button, 'copied');
    } catch {
      told(button, 'copying is blocked');
    }
    return;
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([textOf(button)], { type: types[kind] }));
  link.download = button.closest('.block').dataset.name + '.' + kind;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
`;
