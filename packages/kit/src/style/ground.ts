/** Type, spacing and layout. */
export const groundStyle = `
:root {
  --text-xs: 12px; --text-s: 13px; --text-m: 14px; --text-l: 17px; --text-xl: 22px; --text-2xl: 30px;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --s1: 4px; --s2: 8px; --s3: 12px; --s4: 16px; --s5: 24px; --s6: 40px; --s7: 64px;
  --radius: 6px;
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: var(--s5); }
body { margin: 0; background: var(--page); color: var(--ink); font: 400 var(--text-m)/1.5 var(--sans); font-variant-numeric: tabular-nums; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: var(--s4); top: var(--s2); background: var(--page); padding: var(--s2) var(--s3); z-index: 9; }
.hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
h1, h2, h3, p, dl, dd, figure, ul, ol { margin: 0; padding: 0; }
h1, h2, h3 { font-weight: 600; line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: var(--text-2xl); letter-spacing: -.015em; }
h2 { font-size: var(--text-xl); letter-spacing: -.01em; }
h3 { font-size: var(--text-m); }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
p a, .note a { text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 2px; }
bdi, td, th, .file { unicode-bidi: isolate; }
.quiet { color: var(--ink-2); } .faint { color: var(--ink-3); } .small { font-size: var(--text-s); } .tiny { font-size: var(--text-xs); } .num { font-weight: 600; }
.unbroken { white-space: nowrap; }
.prose { max-width: 68ch; } ul.prose { padding-left: 18px; }
.note { color: var(--ink-2); font-size: var(--text-xs); max-width: 76ch; margin-top: var(--s2); overflow-wrap: anywhere; }
code, kbd, pre { font-family: var(--mono); font-size: .93em; }
kbd { border: 1px solid var(--rule-strong); border-bottom-width: 2px; border-radius: 4px; padding: 0 5px; font-size: 11px; line-height: 17px; display: inline-block; min-width: 20px; text-align: center; color: var(--ink-2); }
.page { max-width: 1336px; margin: 0 auto; padding: var(--s4) var(--s5) var(--s7); }
.bar { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s5); align-items: baseline; padding-bottom: var(--s3); border-bottom: 1px solid var(--rule); }
.bar .crumb { font-weight: 600; overflow-wrap: anywhere; } .bar .crumb span { color: var(--ink-3); font-weight: 400; }
.bar nav { margin-left: auto; display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); align-items: baseline; }
.bar nav a { color: var(--ink-2); font-size: var(--text-s); }
section { margin-top: var(--s6); }
section > header .tools { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); align-items: center; margin-left: auto; }
section > header { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); align-items: baseline; margin-bottom: var(--s4); padding-top: var(--s4); border-top: 1px solid var(--rule); }
.columns { display: grid; gap: var(--s5) var(--s6); align-items: start; }
.columns > * { min-width: 0; }
.two { grid-template-columns: repeat(2, minmax(0, 1fr)); } .three { grid-template-columns: repeat(3, minmax(0, 1fr)); }
.first { border-top: 1px solid var(--rule); padding-top: var(--s4); } .first + .first { margin-top: var(--s4); }
.panel > h3 { display: flex; justify-content: space-between; gap: var(--s3); align-items: baseline; padding-bottom: var(--s2); margin-bottom: var(--s3); border-bottom: 1px solid var(--rule); }
.panel > h3 { white-space: nowrap; } .panel > h3 small { white-space: normal; font-weight: 400; font-size: var(--text-xs); color: var(--ink-3); text-align: right; }
section > header + *, .columns > .panel + .panel { margin-top: 0; } section > * + * { margin-top: var(--s4); } .columns > .panel { margin-top: 0 !important; } .panel + .panel, .panel + .second, .panel > .second > .panel { margin-top: var(--s4); } .daily { margin-top: var(--s2); }
.verdict { display: grid; grid-template-columns: minmax(0, 1fr) 470px; gap: var(--s4) var(--s6); align-items: end; padding: var(--s4) 0; }
.verdict:has(> :only-child) { grid-template-columns: minmax(0, 1fr); }
.verdict h1 { margin: var(--s2) 0 6px; max-width: 26em; } .verdict p { overflow-wrap: anywhere; }
.statement { font-size: var(--text-l); line-height: 1.35; font-weight: 600; text-wrap: balance; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px var(--s3); font-size: var(--text-s); margin-top: var(--s2); }
.facts dt { color: var(--ink-3); } .facts dd { overflow-wrap: anywhere; }
figure { min-width: 0; }
.phone-only { display: none; }
footer { margin-top: var(--s6); }
@media (max-width: 1100px) { .verdict { grid-template-columns: minmax(0, 1fr); } .three { grid-template-columns: repeat(2, minmax(0, 1fr)); } .three.first > :first-child { grid-row: span 2; } }
@media screen and (max-width: 720px) {
  :root { --text-2xl: 23px; --text-xl: 19px; --s6: 28px; --s5: 18px; }
  .page { padding: var(--s3) var(--s4) var(--s6); }
  .bar nav { margin-left: 0; } .answers + * { margin-top: var(--s5); } .bar nav a, .bar .about { display: none; } .verdict { padding: var(--s3) 0; }
  .two, .three { grid-template-columns: minmax(0, 1fr); } .three.first > :first-child { grid-row: auto; }
  .wide-only { display: none; } .phone-only { display: revert; }
  /* The first answers share one screen: what explains them follows below. */
  .answers { display: flex; flex-direction: column; gap: var(--s2); margin-top: var(--s2); } .answers .verdict, .answers .columns, .answers .columns > div, .answers .panel { display: contents; }
  .answers .second { order: 1; } .answers .verdict > div:empty { display: none; } .answers h1 { margin: var(--s1) 0; } .answers .panel > h3 { margin: var(--s1) 0 0; padding-bottom: 2px; }
  .answers .counts tr:nth-child(n + 5) { display: none; } .answers .counts td { padding: 1px 0; } .answers .counts th { padding: 1px var(--s2) 1px 0; } .answers .note, .answers .daily, .answers .legend { margin: 0; } .answers .legend { font-size: 11px; column-gap: var(--s2); } .answers .statement { font-size: var(--text-m); }
}
@media print {
  body { font-size: 11px; } :root { --text-2xl: 22px; --text-xl: 16px; --text-l: 14px; --s6: 20px; }
  .page { max-width: none; padding: 0; } .bar { font-size: var(--text-s); }
  nav, .button, .actions, .choose, .skip, #mark { display: none !important; }
  .two, .three { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: var(--s4) var(--s5); } .three.first > :first-child { grid-row: span 2; }
  .answers { zoom: .88; } /* The first answers share the first page. */
  .verdict:not(:has(> :only-child)) { grid-template-columns: minmax(0, 1fr) 290px; gap: var(--s4); padding: var(--s2) 0; align-items: start; }
  .fill, .key, .probs b, .probs i, .ramp, .shot, .tag, rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  figure, li, tr, .block, .note, .panel { break-inside: avoid; } h2, h3, summary, section > header, section > header + .note { break-after: avoid; }
  details .command pre { columns: 3; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
`;
