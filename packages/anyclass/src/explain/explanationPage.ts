import { type Decision, presenceProbability } from '@anyclass/core';
import { type Card, escaped, gallery, heatScale, note, percentText, verdict } from '@anyclass/kit';
import { counted } from '../errors/counted.js';
import { listed } from '../errors/listed.js';
import { page } from '../pages/page.js';
import type { ExplanationRecord } from './explanationRecord.js';

/** An image with its maps, each a PNG of the image's shape. */
export interface ExplainedCard {
  readonly record: ExplanationRecord;
  readonly image: string;
  readonly heats: readonly string[];
}

export interface ExplanationPageContent {
  readonly model: string;
  readonly classes: readonly string[];
  readonly decision: Decision;
  readonly cards: readonly ExplainedCard[];
  /** How many images were explained; the page may show fewer. */
  readonly all: number;
}

/**
 * Returns the page of a folder of explanations: each image once per map, with the map's scale.
 *
 * @example
 * explanationPage({ model: 'runs/sewer', classes, decision, cards, all: cards.length })
 */
export function explanationPage({ model, classes, decision, cards, all }: ExplanationPageContent): string {
  const alarms = cards.filter(({ record }) => record.labels.length > 0).length;
  const methods = [...new Set(cards.flatMap(({ record }) => record.maps.map(({ method }) => method)))];
  const units = [
    ...new Map(cards.flatMap(({ record }) => record.maps.map(({ method, unit }) => [method, unit] as const))),
  ];
  const shown = cards.length < all ? `; the first ${cards.length} are shown` : '';
  const gate = decision.presence === null ? undefined : presenceProbability(decision.presence);
  return page({
    kind: 'explanations',
    name: model,
    about: `by ${listed(methods, methods.length)}`,
    style:
      '.explained { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); gap: var(--s5) var(--s6); margin-top: var(--s5); } .explained .group { margin-top: 0; }',
    head: [
      verdict({
        tags: [],
        headline: `Where the model looks in ${counted(all, 'image')}`,
        text: `${alarms === 0 ? 'No image' : counted(alarms, 'image')} of the ${cards.length} shown ${alarms <= 1 ? 'has' : 'have'} a predicted class${shown}. Hover over an image, or press H, to see it without its map.`,
        beside: heatScale(),
      }),
    ],
    sections: [
      {
        name: 'images',
        title: 'Images',
        tools:
          '<button id="heat-maps" class="button" type="button" aria-pressed="true" hidden>Heat maps</button>',
        parts: [
          note(
            `Presence decides${gate === undefined ? '' : `: at ${percentText(gate, 1)}% or more, an image raises an alarm`}; its map shows what raised it. Colors are relative to the strongest place of each map; the range below it has that place's value.`,
          ),
          `<div class="explained">${cards.map((card) => imageBlock(card, classes, methods.length > 1)).join('')}</div>`,
        ],
      },
      {
        name: 'method',
        title: 'How to read the maps',
        parts: [
          `<dl class="facts">${units.map(([method, unit]) => `<dt>${escaped(method)}</dt><dd>${escaped(unit)}</dd>`).join('')}</dl>`,
          note(
            'A map shows what moved this score, not whether the model is right. Compare with the method occlusion, which covers parts of the image and needs no gradients.',
          ),
        ],
      },
    ],
  });
}

function imageBlock(
  { record, image, heats }: ExplainedCard,
  classes: readonly string[],
  hasMethods: boolean,
): string {
  const { name, labels, outcome, presence, maps } = record;
  const said = labels.length === 0 ? 'nothing predicted' : listed(labels, classes.length);
  const cards = maps.map(
    ({ target, probability, peak, peakAt, method }, i): Card => ({
      image,
      heat: heats[i],
      alt: `${target} in ${name}: ${peakAt ? `strongest ${percentText(peakAt.x, 0)}% from the left, ${percentText(peakAt.y, 0)}% from the top` : 'no evidence'}`,
      title: target,
      remark: `${percentText(probability, 1)}% · ${hasMethods ? `${method} · ` : ''}${peak > 0 ? `0 to ${Number(peak.toPrecision(2))}` : 'no evidence'}`,
    }),
  );
  return `<div class="group"><h3><bdi>${escaped(name)}</bdi> <small>${escaped(`${said}; ${outcome}; presence ${percentText(presence.probability, 1)}%`)}</small></h3>${gallery(cards)}</div>`;
}
