// The HTML of an exported page, in the look of the served one; its script is bundled from `page`.

import { escaped } from '@anyclass/kit';
import type { OnnxDescription } from '../../inference/onnx/exportedModel.js';
import { dropArea, modelFacts, tryStyle } from '../../pages/modelCard.js';
import { ownScript, page } from '../../pages/page.js';

/** What a browser may do with the page: run its own scripts and the model, and read files beside it. */
const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${ownScript()}; style-src 'unsafe-inline'; img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'`;

/**
 * Returns the page for a model of images; `version` is that of its file.
 *
 * @example
 * indexPage('Sewer defects', model, await fileVersion('model.onnx'))
 */
export function indexPage(title: string, model: OnnxDescription, version: string): string {
  const { network, precision, classes, preprocessing, decision, training } = model;
  const shown = modelFacts({
    classes,
    decision,
    input: preprocessing,
    network: `${network} in ${precision}`,
    training,
    version,
  });
  return page({
    kind: 'anyclass export',
    name: title,
    policy,
    style,
    sections: [],
    head: [
      `<h1>${escaped(title)}</h1><div class="columns two try"><div>${dropArea()}
<p class="note">Images stay on this device.</p>
<div id="loading" role="status"><progress id="progress" aria-label="Loading the model"></progress> <span id="stage">Loading the model…</span></div>
<p id="problem" class="warning" role="alert" hidden></p></div>
<div class="models"><section class="block"><h2>The model</h2>${shown}</section></div>
<div id="tools" hidden><button id="save" class="button" type="button">Save results as CSV</button> <button id="clear" class="button" type="button">Clear</button></div>
<div id="photos" aria-live="polite"></div></div>
<p class="note"><span id="backend"></span> <span id="offline"></span></p>
<noscript><p>This page needs JavaScript.</p></noscript>
<script type="module" src="app.js"></script>`,
    ],
  });
}

const style = `${tryStyle}
#loading { margin: 14px 0; color: var(--ink-3); } progress { width: 200px; vertical-align: middle; accent-color: var(--accent); }
#problem, .failure { overflow-wrap: anywhere; } #tools, #photos { grid-column: 1 / -1; }
#photos { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(480px, 100%), 1fr)); gap: 0 var(--s6); align-items: start; }
.photo { display: grid; grid-template-columns: 200px minmax(0, 1fr); grid-template-rows: auto 1fr; gap: 0 20px; padding: 16px 0; border-top: 1px solid var(--rule-strong); }
.picture { grid-column: 1; grid-row: 1 / 3; } .frame { position: relative; display: inline-block; overflow: hidden; border-radius: 6px; }
.picture img { display: block; max-width: 100%; max-height: 240px; } .heat { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; } .scale { margin-top: 6px; }
.photo h2 { grid-column: 2; margin: 0; font-size: var(--text-m); } .result { grid-column: 2; }
.row { display: grid; grid-template-columns: minmax(10.5em, 1fr) minmax(0, 50%) 4em; align-items: center; gap: 10px; width: calc(100% + 14px); padding: 1px 6px; margin-left: -7px; border: 1px solid transparent; border-radius: 6px; background: none; text-align: left; font-size: var(--text-s); }
button.row { cursor: pointer; } button.row:disabled { cursor: default; } button.row:hover:enabled, .row[aria-pressed='true'] { border-color: var(--accent); }
.presence { margin-bottom: 6px; border-bottom: 1px solid var(--rule); border-radius: 0; padding-bottom: 8px; }
.name { overflow-wrap: anywhere; } .value { text-align: right; } .predicted .name, .predicted .value { font-weight: 700; } .result .button { margin-top: 6px; }
@media print { .row { width: 100%; margin: 0; padding-inline: 0; } } @media (max-width: 720px) { #photos:empty { display: none; } } @media (max-width: 600px) { .photo { display: block; } .photo h2 { margin-top: 8px; } }
`;
