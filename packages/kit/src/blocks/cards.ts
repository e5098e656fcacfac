// Images with what the model says about them.

import { color, type Outcome } from '../colors.js';
import { breakable, escaped } from '../escaped.js';
import { percentText } from '../numbers.js';

export interface Picture {
  /** A data URL; undefined if the image cannot be read. */
  readonly image: string | undefined;
  /** A heat map of the same shape, as a data URL with transparency. */
  readonly heat?: string | undefined;
  /** What a screen reader says. */
  readonly alt: string;
}

/** A probability with its threshold. */
export interface CardBar {
  readonly name: string;
  readonly value: number;
  /** Null if the class is never predicted. */
  readonly threshold: number | null;
  readonly tone?: Outcome | undefined;
  /** Whether the class is present or predicted. */
  readonly isStrong?: boolean;
}

export interface Card extends Picture {
  readonly title: string;
  readonly remark?: string;
  readonly tone?: Outcome | undefined;
  readonly bars?: readonly CardBar[];
  /** The file's name. */
  readonly file?: string;
}

/** Returns an image in a square, with its heat map above it; `.no-heat` around it hides the maps. */
export function shot({ image, heat, alt }: Picture): string {
  const picture =
    image === undefined
      ? '<span class="absent">unreadable</span>'
      : `<img src="${escaped(image)}" alt="${escaped(alt)}">`;
  const map = heat === undefined ? '' : `<img class="heat" src="${escaped(heat)}" alt="">`;
  return `<span class="shot">${picture}${map}</span>`;
}

/**
 * Returns cards in a grid that fills the width.
 *
 * @example
 * gallery([{ image: 'data:image/webp;base64,…', alt: 'a.png', title: 'crack', tone: 'missed', file: 'a.png' }])
 */
export function gallery(cards: readonly Card[], size: 'usual' | 'small' = 'usual'): string {
  return `<ul class="gallery${size === 'small' ? ' small' : ''}">${cards.map((card) => `<li>${cardBlock(card)}</li>`).join('')}</ul>`;
}

function cardBlock(card: Card): string {
  const { title, remark, tone, bars = [], file } = card;
  const words = remark === undefined ? '' : `<small>${escaped(remark)}</small>`;
  const heading = `<div class="card-title${tone === undefined ? '' : ` ${tone}`}"><bdi>${breakable(title)}</bdi>${words}</div>`;
  const probabilities = bars.length === 0 ? '' : `<div class="probs">${bars.map(barBlock).join('')}</div>`;
  const name = file === undefined ? '' : `<div class="file" title="${escaped(file)}">${escaped(file)}</div>`;
  return shot(card) + heading + probabilities + name;
}

function barBlock({ name, value, threshold, tone, isStrong = false }: CardBar): string {
  const at = threshold === null ? '' : `<u style="left:${percentText(Math.min(1, threshold))}%"></u>`;
  const told = `${name} ${percentText(value, 0)}%, ${threshold === null ? 'never predicted' : `threshold ${percentText(threshold, 0)}%`}`;
  const fill = tone === undefined ? '' : `;background:${color(tone)}`;
  return `<span${isStrong ? ' class="strong"' : ''}>${escaped(name)}</span><i role="img" aria-label="${escaped(told)}"><b style="width:${percentText(value)}%${fill}"></b>${at}</i><span class="n">${percentText(value, 0)}</span>`;
}

/** A picture on the first screen that leads to its kind further down. */
export interface Look extends Picture {
  readonly title: string;
  readonly remark: string;
  readonly tone?: Outcome | undefined;
  /** An address on the page, such as '#missed'. */
  readonly href: string;
}

/** Returns up to four pictures side by side. */
export function looks(list: readonly Look[]): string {
  const items = list.map((look) => {
    // The words below say what the picture shows.
    const picture = shot({ ...look, alt: '' });
    return `<li><a href="${escaped(look.href)}">${picture}<b${look.tone === undefined ? '' : ` class="${look.tone}"`}>${breakable(look.title)}</b>${breakable(look.remark)}</a></li>`;
  });
  return `<ul class="looks">${items.join('')}</ul>`;
}

/** Returns the scale of heat maps with its words. */
export function heatScale(): string {
  return '<p class="small quiet" role="img" aria-label="Colors of heat maps, from no evidence to the strongest of the map">no evidence<span class="ramp"></span>strongest of the map</p>';
}
