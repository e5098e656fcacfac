import { type Outcome, outcomes } from '../colors.js';
import { heatGradient } from '../heat.js';

const each = (rule: (outcome: Outcome) => string) => outcomes.map(rule).join(' ');

/** Marks with meaning, tables, pictures and controls. Missed is hatched wherever it is an area: it reads without color. */
export const partStyle = `
${each((name) => `.${name} { color: var(--${name}-ink); } .tag.${name} { background: var(--${name}-soft); color: var(--${name}-ink); } .fill.${name}, .key.${name} { background: var(--${name}); }`)}
.tag { display: inline-flex; align-items: center; gap: 6px; padding: 1px 8px; border-radius: 99px; font-size: var(--text-xs); font-weight: 600; line-height: 20px; background: var(--clear-soft); color: var(--clear-ink); }
.tag.chosen { background: var(--accent-soft); color: var(--accent); }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px; vertical-align: -1px; margin-right: 5px; background: var(--clear); }
.key.missed, .fill.missed { background: repeating-linear-gradient(135deg, var(--missed) 0 2px, var(--missed-soft) 2px 5px); }
.key.other, .fill.other { background: var(--found-soft); box-shadow: inset 0 0 0 1.5px var(--found); }
.fill { height: 100%; }
.strip { display: flex; gap: 1px; height: 16px; } .strip > * { min-width: 2px; }
.strip > :first-child { border-radius: 2px 0 0 2px; } .strip > :last-child { border-radius: 0 2px 2px 0; }
.legend { display: flex; flex-wrap: wrap; gap: 2px var(--s4); font-size: var(--text-xs); color: var(--ink-2); margin-top: var(--s2); list-style: none; }
.counts { width: 100%; } .counts td, .counts th { border: 0; padding: 4px 0; vertical-align: middle; }
.counts tbody th { width: 1%; min-width: 0; font-weight: 600; padding-right: var(--s3); position: static; } .counts .name { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; width: max-content; max-width: 11em; white-space: normal; overflow-wrap: anywhere; line-height: 16px; } .counts .say { width: 6.5em; text-align: right; white-space: nowrap; }
.triage { display: grid; grid-template-columns: 52px minmax(0, 1fr); gap: 6px var(--s3); font-size: var(--text-s); align-items: start; }
.triage dt, .triage b { font-weight: 600; } .triage .alarm { color: var(--ink); } .triage dd > div:first-child { display: flex; gap: 8px; align-items: center; }
.triage .row-note { color: var(--ink-2); font-size: var(--text-xs); line-height: 16px; }
table { border-collapse: separate; border-spacing: 0; font-size: var(--text-s); }
caption { text-align: left; font-weight: 600; padding-bottom: var(--s1); position: sticky; left: 0; max-width: calc(100vw - 40px); }
th, td { padding: 5px var(--s4) 5px 0; border-bottom: 1px solid var(--rule); vertical-align: baseline; text-align: left; }
thead th { color: var(--ink-3); font-size: var(--text-xs); font-weight: 400; vertical-align: bottom; } tbody th { font-weight: 400; }
td.right, th.right { text-align: right; } td.center, th.center, th.group { text-align: center; } th.group { border-bottom-color: var(--rule-strong); }
td.right + td.left, th.right + th.left { padding-left: var(--s3); }
tbody th:first-child, thead th.left:first-child { position: sticky; left: 0; background: var(--page); }
td, th { white-space: nowrap; } .long { white-space: normal; min-width: 14em; overflow-wrap: anywhere; }
.strong { font-weight: 700; } .uncertainty { display: block; font-size: 11px; line-height: 1.2; font-weight: 400; color: var(--ink-3); }
.scroll { overflow-x: auto; } .asked td, .asked th { white-space: normal; } .alone { max-width: 640px; }
.sortable thead tr:last-child button { all: unset; cursor: pointer; } .sortable thead tr:last-child button:focus-visible { outline: 2px solid var(--accent); }
th[aria-sort=ascending] button::after { content: ' ↑'; } th[aria-sort=descending] button::after { content: ' ↓'; }
.block { min-width: 0; } .block + .block { margin-top: var(--s5); } .block > h3 { margin-bottom: var(--s2); }
.actions span { white-space: nowrap; } .actions { display: flex; flex-wrap: wrap; align-items: center; gap: 2px var(--s2); margin-top: var(--s1); font-size: var(--text-xs); color: var(--ink-3); }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(138px, 1fr)); gap: var(--s5) var(--s4); list-style: none; }
.gallery.small { grid-template-columns: repeat(auto-fill, minmax(92px, 1fr)); gap: var(--s3); } .gallery.small .card-title { font-size: 11px; line-height: 15px; } .note ul { padding-left: 18px; }
.note + .group, .group + .group { margin-top: var(--s5); } .columns > .group { margin-top: 0; } .group > h3 { font-size: var(--text-l); display: flex; gap: var(--s3); align-items: baseline; margin-bottom: var(--s3); flex-wrap: wrap; }
.group > h3 small { font-weight: 400; font-size: var(--text-s); color: var(--ink-2); }
.shot { position: relative; display: block; width: 100%; aspect-ratio: 1; background: var(--sunk); border-radius: 3px; overflow: hidden; border: 0; padding: 0; }
.shot img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
.shot .heat { transition: opacity .12s; } .shot:hover .heat, .no-heat .shot .heat { opacity: 0; }
.shot .absent { position: absolute; inset: 0; display: grid; place-items: center; color: var(--ink-3); font-size: var(--text-xs); }
.ramp { display: inline-block; width: 84px; height: 8px; border-radius: 1px; margin: 0 6px; background: ${heatGradient}; outline: 1px solid var(--rule); }
.card-title { font-size: var(--text-s); margin-top: 6px; font-weight: 600; line-height: 18px; overflow-wrap: anywhere; }
.card-title small { display: block; font-weight: 400; color: var(--ink-2); }
.file { font-size: 11px; color: var(--ink-3); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.probs { display: grid; grid-template-columns: minmax(0, 57px) 1fr 24px; gap: 1px 5px; align-items: center; font-size: 11px; line-height: 16px; color: var(--ink-2); margin-top: var(--s1); }
.probs span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .probs .strong { color: var(--ink); font-weight: 600; } .probs .n { text-align: right; }
.probs i { position: relative; display: block; height: 6px; background: var(--clear-soft); } .probs i b { position: absolute; left: 0; top: 0; bottom: 0; background: var(--clear); }
.probs i:first-of-type b { background: var(--ink-2); } .probs i u { position: absolute; top: -3px; bottom: -3px; width: 1.5px; background: var(--ink); }
.looks { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: var(--s3); margin-top: var(--s4); list-style: none; }
.looks a { display: block; font-size: 11px; line-height: 15px; color: var(--ink-2); overflow-wrap: anywhere; text-decoration: none; } .looks b { display: block; font-weight: 600; margin-top: 4px; } .looks .shot { aspect-ratio: 1.12; }
button, select, input { font: inherit; color: inherit; }
.button { border: 1px solid var(--rule-strong); background: var(--page); border-radius: var(--radius); padding: 3px 10px; font-size: var(--text-s); cursor: pointer; }
.button:hover { background: var(--sunk); } .button.quiet-button { border-color: transparent; padding: 0 4px; color: var(--ink-2); font-size: var(--text-xs); }
.button.primary { background: var(--accent); border-color: var(--accent); color: var(--page); font-weight: 600; }
.choose fieldset { border: 0; margin: 0 0 var(--s3); padding: 0; display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); font-size: var(--text-s); } .choose legend { float: left; margin-right: var(--s4); padding: 0; color: var(--ink-3); }
.command { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: var(--s3); align-items: start; background: var(--sunk); border-radius: var(--radius); padding: var(--s2) var(--s3); margin: var(--s1) 0; }
.command pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.6; }
details > summary { cursor: pointer; padding: var(--s3) 0; border-top: 1px solid var(--rule); font-weight: 600; } details > summary small { font-weight: 400; color: var(--ink-3); font-size: var(--text-s); margin-left: var(--s2); } details[open] > summary { margin-bottom: var(--s2); } details { margin: 0; }
.next { border-left: 3px solid var(--accent); padding-left: var(--s3); } .warning { border-left: 3px solid var(--missed); padding-left: var(--s3); } .fine { border-left: 3px solid var(--found); padding-left: var(--s3); }
#mark { position: fixed; max-width: 280px; padding: 3px 8px; font-size: var(--text-xs); border-radius: 4px; background: var(--ink); color: var(--page); pointer-events: none; z-index: 2; }
@media screen and (max-width: 720px) { .gallery { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: var(--s4) var(--s3); } .gallery.small { grid-template-columns: repeat(3, minmax(0, 1fr)); } tbody th, th.long { white-space: normal; overflow-wrap: anywhere; min-width: 7em; max-width: 40vw; } .counts tbody th { min-width: 0; } }
@media print { .scroll { overflow: visible; } .gallery { grid-template-columns: repeat(6, minmax(0, 1fr)); gap: var(--s3); } .columns > :has(.chart[data-wide]) { grid-column: 1 / -1; } .chart[data-wide] { min-width: 0 !important; } table { font-size: 11px; } th, td { white-space: normal; overflow-wrap: anywhere; padding-right: 8px; } thead th { overflow-wrap: normal; } details > *, details::details-content { display: block; content-visibility: visible; } }
`;
