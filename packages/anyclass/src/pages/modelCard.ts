// What the pages to try images have in common: a place to drop them, and what the model is. The served page and the exported one
// say the same in the same words.

import { type Decision, describeFalseAlarms, describeLimits, describePromises } from '@anyclass/core';
import { escaped, facts } from '@anyclass/kit';

/** Returns the place to drop images, with their input. */
export function dropArea(): string {
  return `<label id="drop" for="files"><strong>Drop images here</strong><span>or click to choose, or paste</span>
<input id="files" type="file" accept="image/*" multiple></label>`;
}

export interface ModelFacts {
  readonly classes: readonly string[];
  readonly decision: Pick<Decision, 'rule' | 'budget' | 'report' | 'fittedOn'>;
  readonly input:
    | { readonly channels: number; readonly width: number; readonly height: number }
    | { readonly features: readonly string[] };
  /** The network and what runs it, such as 'tresnet-s, libtorch on cpu'. */
  readonly network: string;
  readonly training: { readonly dataset: string; readonly loss: string; readonly epoch: number };
  /** The version of the model's file. */
  readonly version: string;
}

const mostClasses = 40;

/** Returns what a model is: its classes, what it promises or why not, input, network, training and version. */
export function modelFacts(model: ModelFacts): string {
  const { classes, decision, input, network, training, version } = model;
  const promises = describePromises(decision.report);
  const limits = describeLimits(decision);
  const remarks = decision.fittedOn === null ? [] : decision.report.remarks;
  const shown = classes.slice(0, mostClasses).map((one) => `<li class="tag"><bdi>${escaped(one)}</bdi></li>`);
  const more =
    classes.length > mostClasses ? `<li class="tag">${classes.length - mostClasses} more</li>` : '';
  const takes =
    'features' in input
      ? `rows of ${input.features.length} features`
      : `${input.channels === 1 ? 'gray' : 'color'} images, resized to ${input.width} × ${input.height} px`;
  return facts([
    ['Classes', `<ul class="tags">${shown.join('')}${more}</ul>`],
    ['Promised', escaped(promises.length > 0 ? promises.join('; ') : 'nothing about new data')],
    ...(limits === undefined ? [] : [['Limits', escaped(limits)] as const]),
    // A promise says what it rests on; without one, this is what was seen.
    ...(promises.length > 0 ? [] : [['False alarms', escaped(describeFalseAlarms(decision))] as const]),
    // Why something is not promised, and which classes are never predicted.
    ...(remarks.length > 0 ? [['Note', escaped(remarks.join(' '))] as const] : []),
    ['Takes', escaped(takes)],
    ['Network', escaped(network)],
    ['Trained', escaped(`on ${training.dataset} with ${training.loss}, epoch ${training.epoch}`)],
    ['Version', `<code>${escaped(version)}</code>`],
  ]);
}

/** The style of both, and of bars of probabilities with their thresholds. */
export const tryStyle = `
h1 { margin-top: 16px; }
.tags { display: flex; flex-wrap: wrap; gap: 4px 6px; list-style: none; padding: 0; margin: 0; }
#drop { display: flex; flex-direction: column; align-items: center; gap: 4px; padding: 34px 16px; border: 2px dashed var(--rule-strong); border-radius: 8px; background: var(--sunk); cursor: pointer; text-align: center; margin: 14px 0; }
#drop span { color: var(--ink-3); } #drop.over, #drop:hover, #drop:focus-within { border-color: var(--accent); }
#drop input { position: absolute; opacity: 0; width: 1px; height: 1px; }
.columns section { margin-top: 0; } .columns h2, .small-title { font-size: var(--text-m); margin: 14px 0 4px; }
.labels { display: flex; flex-wrap: wrap; gap: 6px; margin: 6px 0 10px; } .labels .tag { font-size: var(--text-s); }
.meter { position: relative; display: block; height: 10px; background: var(--clear-soft); border-radius: 2px; }
.meter i { position: absolute; left: 0; top: 0; bottom: 0; background: var(--clear); border-radius: 2px 0 0 2px; }
.meter.predicted i { background: var(--accent); }
.meter b { position: absolute; top: -3px; bottom: -3px; width: 2px; margin-left: -1px; background: var(--ink); }
.scale { font-size: var(--text-xs); color: var(--ink-3); } .scale .ramp { width: 60px; }
/* On a phone, what was asked comes before the model. */ @media screen and (max-width: 720px) { .try .models { order: 1; } }
/* Printed: the model and its answers, without what takes images. */ @media print { .try, #results { grid-template-columns: minmax(0, 1fr) !important; } .try > :first-child { display: none; } }
`;
