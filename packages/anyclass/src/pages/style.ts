/** The style of pages; the colors are the palette's variables. */
export const pageStyle = `
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1500px; margin: 0 auto; padding: 24px 20px 60px; }
a { color: var(--accent); }
h1 { margin: 0 130px 4px 0; overflow-wrap: anywhere; line-height: 1.2; }
h2 { margin: 44px 0 8px; border-bottom: 1px solid var(--edge); padding-bottom: 4px; }
nav { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 12px 0; }
.note { color: var(--faint); max-width: 75ch; }
button { font: inherit; font-size: 13px; color: var(--ink); background: var(--panel); border: 1px solid var(--edge); border-radius: 4px; padding: 1px 8px; cursor: pointer; }
button:hover { border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#theme { position: absolute; top: 28px; right: max(20px, calc(50vw - 730px)); }
.scroll { overflow-x: auto; }
td { vertical-align: top; } tbody th { vertical-align: top; }
table { border-collapse: separate; border-spacing: 0; font-variant-numeric: tabular-nums; margin: 8px 0; }
caption { text-align: left; font-weight: 600; padding-bottom: 4px; position: sticky; left: 0; max-width: calc(100vw - 40px); }
th, td { padding: 3px 12px 3px 0; white-space: nowrap; }
td.left, th.left { text-align: left; } td.right, th.right { text-align: right; } td.center, th.center, th.group { text-align: center; }
td.right + td.left, th.right + th.left { padding-left: 12px; }
.long { white-space: normal; min-width: 14em; overflow-wrap: anywhere; }
thead th { font-weight: 600; color: var(--faint); vertical-align: bottom; }
th.group { border-bottom: 1px solid var(--edge); }
tbody th { font-weight: 400; }
tbody th, thead th.left:first-child { position: sticky; left: 0; background: var(--ground); }
.uncertainty { display: block; font-size: 11px; line-height: 1.2; font-weight: 400; color: var(--faint); }
tbody tr + tr > * { border-top: 1px solid var(--edge); }
.strong { font-weight: 700; } .faint { color: var(--faint); }
.block { margin: 18px 0; min-width: 0; break-inside: avoid; }
.title { font-weight: 600; margin: 0 0 4px; }
.charts { display: flex; flex-wrap: wrap; gap: 8px 28px; align-items: flex-start; }
.charts > * { margin: 8px 0; max-width: 100%; } .charts > :not(.wide) { max-width: min(100%, 540px); }
svg { max-width: 100%; height: auto; display: block; } .wide svg { max-width: none; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 6px; margin: 4px 0; font-size: 13px; color: var(--faint); }
fieldset { border: 0; margin: 8px 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 16px; }
legend { float: left; margin-right: 16px; color: var(--faint); padding: 0; }
[data-label]:hover { stroke: var(--ink); stroke-width: 2px; vector-effect: non-scaling-stroke; }
#mark { position: fixed; max-width: 280px; padding: 3px 8px; font-size: 13px; border-radius: 4px; background: var(--ink); color: var(--ground); pointer-events: none; z-index: 2; }
.problem { border-left: 4px solid var(--warning); padding-left: 12px; margin: 0 0 12px; }
.problem ul { margin: 4px 0 0; padding-left: 18px; color: var(--faint); overflow-wrap: anywhere; }
.fine { border-left: 4px solid var(--fine); padding-left: 12px; }
.verdict { border-left: 4px solid var(--accent); padding-left: 12px; font-size: 17px; max-width: 75ch; margin: 14px 0; overflow-wrap: anywhere; }
.verdict.doubtful { border-color: var(--warning); }
.images { display: flex; flex-wrap: wrap; gap: 10px; margin: 4px 0 18px; }
.images figure { margin: 0; width: 128px; }
.images img { width: 128px; height: 128px; background: var(--panel); border-radius: 4px; }
.images figcaption { font-size: 11px; line-height: 1.3; color: var(--faint); overflow-wrap: anywhere; }
@media screen { .problems { columns: 3 420px; column-gap: 32px; } .problem { break-inside: avoid; } }
.samples { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 430px), 1fr)); gap: 4px 28px; }
.samples h3 { margin: 8px 0 4px; } .samples figure, .samples img { width: 96px; } .samples img { height: 96px; }
details { margin: 8px 0; } summary { cursor: pointer; color: var(--accent); }
.sortable thead tr:last-child th { cursor: pointer; } th[aria-sort=ascending]::after { content: ' ↑'; } th[aria-sort=descending]::after { content: ' ↓'; }
.alike { display: inline-flex; flex-wrap: wrap; gap: 6px; margin: 4px 10px 10px 0; padding: 8px; border: 1px solid var(--edge); border-radius: 4px; vertical-align: top; }
.alike.across { border-color: var(--warning); }
.alike figure { margin: 0; width: 112px; } .alike img { width: 112px; height: 112px; background: var(--panel); }
.alike figcaption { font-size: 11px; line-height: 1.3; color: var(--faint); overflow-wrap: anywhere; }
pre { overflow-x: auto; background: var(--panel); padding: 8px; border-radius: 4px; font-size: 13px; }
[hidden] { display: none !important; }
@media (max-width: 600px) {
  main { padding: 16px 14px 40px; } h1 { margin-right: 0; font-size: 24px; }
  #theme { position: static; margin: 12px 14px 0; }
  tbody th, th.long { white-space: normal; overflow-wrap: anywhere; min-width: 8em; max-width: 40vw; }
}
@media print {
  #theme, .actions, fieldset, nav, #mark { display: none !important; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; } .scroll { overflow: visible; }
  th, td { white-space: normal; padding-right: 8px; } .wide svg { max-width: 100%; } h2 { break-after: avoid; }
}`;
