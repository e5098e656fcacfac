// The page to label images: one at a time, by keys or buttons. It shows nothing of what the model answered.

import { page } from '../pages/page.js';
import { auditScript } from './auditScript.js';

/**
 * Returns the page as HTML. It holds no data: its script asks the server with the token of its address.
 *
 * @example
 * auditPage('labels.csv')
 */
export function auditPage(labels: string): string {
  return page({
    kind: 'audits',
    name: labels,
    isServed: true,
    style,
    sections: [],
    head: [
      `<h1 class="hidden-text">Label the images that were drawn</h1>
<div id="labeling" hidden>
<div class="progress" aria-hidden="true"><i id="meter"></i></div>
<p class="where"><b><bdi id="name"></bdi></b> <span id="about" class="small faint"></span><span id="counts" class="small quiet"></span></p>
<div class="stage"><button type="button" class="button step" id="back" aria-label="Previous image">←</button>
<div class="frame"><img id="picture" alt="" hidden><p id="absent" class="quiet" hidden>This image was not kept.</p></div>
<button type="button" class="button step" id="forward" aria-label="Next image">→</button></div>
<div id="choices">
<div class="row"><button type="button" class="button" data-kind="negative">Nothing here<kbd>N</kbd></button>
<button type="button" class="button" data-kind="unsure">Unsure<kbd>U</kbd></button>
<button type="button" class="button" data-kind="positive">Something, class unknown<kbd>P</kbd></button></div>
<input id="filter" type="search" placeholder="Find a class" aria-label="Find a class" hidden>
<div class="row" id="classes"></div>
</div>
<p class="note"><span class="wide-only">Arrow keys move, Enter goes to the next image without a label. </span>What the model said is not shown, so that it cannot sway you.</p>
</div>
<p id="state" role="status" class="small quiet">Loading…</p>`,
      `<script>${auditScript}</script>`,
    ],
  });
}

const style = `
.progress { height: 3px; background: var(--sunk); margin: 10px 0 12px; border-radius: 2px; } .progress i { display: block; height: 100%; background: var(--accent); border-radius: 2px; }
.where { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; overflow-wrap: anywhere; } #counts { margin-left: auto; }
.stage { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 10px; align-items: center; margin: 10px 0; }
.step { height: 100%; min-height: 60px; padding: 0 12px; }
.frame { height: min(58vh, 700px); display: grid; grid-template: minmax(0, 1fr) / minmax(0, 1fr); place-items: center; background: var(--sunk); border-radius: var(--radius); overflow: hidden; }
.frame img { width: 100%; height: 100%; object-fit: contain; image-rendering: auto; }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; }
#choices .button { display: inline-flex; gap: 8px; align-items: center; padding: 6px 12px; max-width: 100%; overflow-wrap: anywhere; }
#choices .button[aria-pressed=true] { background: var(--accent-soft); border-color: var(--accent); color: var(--accent); font-weight: 600; }
#filter { border: 1px solid var(--rule-strong); border-radius: var(--radius); background: var(--page); padding: 4px 8px; }
.failed { color: var(--missed-ink); }
@media screen and (max-width: 720px) { .stage { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } .frame { grid-column: 1 / -1; grid-row: 1; height: 46vh; } .step { min-height: 44px; } #choices .button { min-height: 40px; } kbd { display: none; } }
`;
