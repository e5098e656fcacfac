// A page to try images: drop one to see its labels, its presence, and the probability and threshold of every
// class.

import type { Decision } from '@anyclass/core';
import { breakable, command, escaped, note } from '@anyclass/kit';
import { listed } from '../../errors/listed.js';
import type { Example } from '../../events/example.js';
import { dropArea, modelFacts, tryStyle } from '../../pages/modelCard.js';
import { page } from '../../pages/page.js';
import type { ModelSummary } from '../api/schemas.js';
import { tryScript } from './tryScript.js';

/**
 * Returns the page as HTML.
 *
 * @example
 * tryPage([{ name: 'sewer' }], { needsToken: false })
 */
export function tryPage(
  models: readonly ModelCard[],
  { needsToken }: { readonly needsToken: boolean },
): string {
  const explains = (card: ModelCard) => (card.summary?.explains ? ' data-explains' : '');
  const choices = models.map((card) => `<option${explains(card)}>${escaped(card.name)}</option>`).join('');
  const title = models.length === 1 ? models[0]!.name : 'models';
  return page({
    kind: 'anyclass serve',
    name: title,
    isServed: true,
    style,
    sections: [],
    head: [
      `<h1>${escaped(models.length === 1 ? title : 'Try an image')}</h1><div class="columns two try"><div><form id="try"${models.length === 1 ? explains(models[0]!) : ''}>
${dropArea()}
<p class="settings">${
        models.length > 1 ? `<label>Model <select id="model">${choices}</select></label>` : ''
      }${
        needsToken
          ? '<label>Token <input id="token" type="password" autocomplete="off" placeholder="bearer token"></label>'
          : ''
      }</p>
</form>
<p id="state" role="status" class="note">Images are sent only to this server.</p>${models.map((card) => exampleRow(card, models.length > 1)).join('')}</div>
<div class="models">${models.map((card) => modelPart(card, models.length > 1)).join('')}</div><div id="results" aria-live="polite"></div></div>`,
      '<p class="note"><a href="docs">API</a> · <a href="openapi.json">OpenAPI</a></p>',
      `<script>${tryScript}</script>`,
    ],
  });
}

/** A model as the page shows it. */
export interface ModelCard {
  readonly name: string;
  /** Absent while the model is being opened. */
  readonly summary?: ModelSummary;
  /** What it decides by; absent like the summary. */
  readonly decision?: Decision;
  /** Images of the run, to try. */
  readonly examples?: readonly Example[];
}

const exampleWords = {
  found: 'Found',
  missed: 'Missed',
  'false-alarm': 'False alarm',
  other: 'Another name',
} as const;
/** Two finds, a miss and a false alarm. */
const shownExamples = [
  ['found', 0],
  ['found', 1],
  ['missed', 0],
  ['false-alarm', 0],
] as const;

function exampleRow({ name, examples = [] }: ModelCard, isOneOfSeveral: boolean): string {
  const shown = shownExamples.flatMap(([outcome, at]) => {
    const example = examples.filter((each) => each.outcome === outcome)[at];
    return example ? [example] : [];
  });
  if (shown.length === 0) return '';
  const items = shown.map(({ outcome, present, predicted, jpeg, name: file }) => {
    const classes = listed(outcome === 'false-alarm' ? predicted : present, 2);
    return `<li><button type="button" class="example" data-model="${escaped(name)}" data-file="${escaped(file)}"><span class="shot"><img src="data:image/jpeg;base64,${jpeg}" alt=""></span><b class="${outcome === 'other' ? 'false-alarm' : outcome}">${exampleWords[outcome]}</b>${breakable(classes)}</button></li>`;
  });
  return `<h2 class="small-title">Try one of its test images${isOneOfSeveral ? `: <bdi>${escaped(name)}</bdi>` : ''}</h2><ul class="looks">${items.join('')}</ul>`;
}

function modelPart({ name, summary, decision }: ModelCard, isOneOfSeveral: boolean): string {
  if (!summary || !decision) return note(`${name} is being opened.`);
  const { network, runtime, device } = summary;
  const heading = isOneOfSeveral ? `<bdi>${escaped(name)}</bdi>` : 'The model';
  const shown = modelFacts({
    ...summary,
    decision,
    network: `${network}, ${runtime} on ${device}`,
  });
  return `<section class="block"><h2>${heading}</h2>${shown}${command(`curl --data-binary @photo.jpg -H 'Content-Type: image/jpeg' '${exampleHost}/v1/predict?model=${encodeURIComponent(name)}${summary.explains ? '&explain=1' : ''}'`)}</section>`;
}

/** The page's script puts its own address here. */
const exampleHost = 'http://HOST';

const style = `${tryStyle}
.seen { position: relative; line-height: 0; } .seen canvas { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.where .button[aria-pressed='true'] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
.where { display: flex; flex-wrap: wrap; gap: 6px; margin: 6px 0; align-items: center; }
.settings { display: flex; flex-wrap: wrap; gap: 8px 20px; margin: 0; }
.settings select, .settings input { font: inherit; color: var(--ink); background: var(--sunk); border: 1px solid var(--rule-strong); border-radius: 4px; padding: 2px 6px; }
.small-title + .looks { margin-top: 8px; }
.example { all: unset; display: block; width: 100%; cursor: pointer; font-size: 11px; line-height: 15px; color: var(--ink-2); } .example:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; } .example:hover .shot { outline: 2px solid var(--accent); }
#results { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 var(--s6); grid-column: 1 / -1; }
.result { display: grid; grid-template-columns: 170px minmax(0, 1fr); gap: 8px 20px; border-top: 1px solid var(--rule-strong); padding: 16px 0; margin: 0; align-items: start; }
.seen { display: inline-block; max-width: 100%; } .seen img { display: block; max-width: 100%; min-width: 140px; max-height: 240px; background: var(--sunk); border-radius: 6px; image-rendering: auto; }
.result h2 { margin: 0; border: 0; padding: 0; font-size: var(--text-m); overflow-wrap: anywhere; }
.bars { display: grid; grid-template-columns: minmax(70px, max-content) 1fr max-content; gap: 4px 10px; align-items: center; font-size: var(--text-s); font-variant-numeric: tabular-nums; }
.bars .name { overflow-wrap: anywhere; max-width: 14em; } .bars .rule { grid-column: 1 / -1; border-top: 1px solid var(--rule); }
.name.predicted { font-weight: 700; }
.failed { color: var(--missed-ink); overflow-wrap: anywhere; }
details { margin-top: 8px; } details > summary { cursor: pointer; color: var(--ink-3); padding: 4px 0; border: 0; font-weight: 400; font-size: var(--text-xs); } details pre { font-size: 11px; overflow-x: auto; }
@media print { .result details { display: none; } .where .button[aria-pressed='true'] { display: inline !important; border: 0; padding: 0; } } @media (max-width: 720px) { #results:empty { display: none; } }
@media (max-width: 1000px) { #results { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 600px) { .result { grid-template-columns: minmax(0, 1fr); } .seen img { max-height: 50vh; } }
`;
