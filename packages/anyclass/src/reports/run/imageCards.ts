// The images that a decision gets wrong, and a few that it gets right, with what the model says about them.

import { presenceProbability } from '@anyclass/core';
import {
  type Card,
  type CardBar,
  countText,
  escaped,
  gallery,
  heatScale,
  type Look,
  type Outcome,
  percentText,
} from '@anyclass/kit';
import type { Dataset } from '../../data/dataset/dataset.js';
import { listed } from '../../errors/listed.js';
import { thumbnail } from '../../inspect/samples.js';
import type { Section } from '../../pages/page.js';
import { cardHeats } from './cardHeats.js';
import type { DecisionInUse, JudgedMaterial } from './material.js';
import type { RowOutcome } from './outcomes.js';

/** A kind of images on the page. */
interface Kind {
  readonly outcome: RowOutcome;
  /** Its address on the page. */
  readonly name: string;
  readonly title: string;
  readonly tone?: Outcome;
  readonly order: string;
  readonly most: number;
}

const kinds: readonly Kind[] = [
  {
    outcome: 'false-alarm',
    name: 'false-alarms',
    title: 'False alarms',
    tone: 'false-alarm',
    order: 'most confident first',
    most: 16,
  },
  {
    outcome: 'missed',
    name: 'missed',
    title: 'Missed',
    tone: 'missed',
    order: 'least suspected first',
    most: 16,
  },
  {
    outcome: 'other',
    name: 'other-names',
    title: 'Alarm under another name',
    order: 'most confident first: someone looks, but for the wrong thing',
    most: 8,
  },
  {
    outcome: 'found',
    name: 'found',
    title: 'Found',
    tone: 'found',
    order: 'the most confident of each class',
    most: 8,
  },
];

/** Bars on a card: more would make it longer than the picture explains. */
const mostBars = 6;
/** Pixels of a picture's sides. */
export const pictureSide = 160;
/** Pictures that a report has at most. */
export const mostPictures = kinds.reduce((sum, { most }) => sum + most, 0);

/** A card, with the row of the scores that it shows, and that row's place in the dataset if it is still there. */
interface RowCard extends Card {
  readonly row: number;
  readonly place?: number | undefined;
}

export interface ImageGroup {
  readonly kind: Kind;
  readonly all: number;
  readonly cards: readonly RowCard[];
}

/** The images of a report. */
export interface ReportImages {
  readonly groups: readonly ImageGroup[];
  /** How the heat maps were computed, or why there are none. */
  readonly heatRemark: string;
}

/** Chooses the images, reads them, and computes where the model in `folder` sees what it says, or misses what is there. */
export async function reportImages(
  material: JudgedMaterial,
  inUse: DecisionInUse,
  dataset: Dataset,
  folder: string,
): Promise<ReportImages> {
  const rowsOf = kinds.map((kind) => ({ kind, ...chosenRows(kind, material, inUse) }));
  const wanted = new Set(rowsOf.flatMap(({ rows }) => rows.map((row) => material.names[row]!)));
  const places = new Map<string, number>();
  for (let row = 0; row < dataset.names.length; row++) {
    const name = dataset.names.at(row);
    if (wanted.has(name)) places.set(name, row);
  }
  const wantedHeats = rowsOf.flatMap(({ kind, rows }) =>
    rows.flatMap((row) => {
      const at = places.get(material.names[row]!);
      return at === undefined ? [] : [{ row: at, classIndex: classOfInterest(row, kind, material, inUse) }];
    }),
  );
  const heats = await cardHeats(folder, dataset, wantedHeats);
  const groups = await Promise.all(
    rowsOf.map(async ({ kind, all, rows }) => ({
      kind,
      all,
      cards: await Promise.all(
        rows.map(async (row) => {
          const at = places.get(material.names[row]!);
          const image =
            at === undefined
              ? undefined
              : await thumbnail(() => dataset.images.read(at), pictureSide, dataset.preparation);
          const heat = at === undefined ? undefined : heats.ofRow.get(at);
          return { ...cardOf(row, kind, image, material, inUse), heat, place: at };
        }),
      ),
    })),
  );
  return { groups, heatRemark: heats.remark };
}

/** The class that an image's heat map is for: what was predicted, or what was missed; of several, the most probable. */
function classOfInterest(
  row: number,
  kind: Kind,
  { scored: { classNames, scores, targets } }: JudgedMaterial,
  { outcomes }: DecisionInUse,
): number {
  const at = (j: number) => row * classNames.length + j;
  const isMeant = (j: number) =>
    kind.outcome === 'missed' || kind.outcome === 'found'
      ? targets[at(j)]! >= 0.5
      : outcomes.labels[at(j)] === 1;
  const meant = classNames.flatMap((_, j) => (isMeant(j) ? [j] : []));
  return meant.reduce((best, j) => (scores[at(j)]! > scores[at(best)]! ? j : best), meant[0] ?? 0);
}

/** Returns the images as a section of the page. */
export function imageSection({ groups, heatRemark }: ReportImages, { isOwn }: DecisionInUse): Section {
  const parts = groups
    .filter(({ cards }) => cards.length > 0)
    .map(({ kind, all, cards }) => {
      const amount =
        kind.outcome === 'found'
          ? kind.order
          : `${cards.length < all ? `${countText(cards.length)} of ${countText(all)} shown` : `all ${countText(all)} shown`}, ${kind.order}`;
      return `<div class="group" id="${kind.name}"><h3${kind.tone === undefined ? '' : ` class="${kind.tone}"`}>${kind.title} <small>${amount}</small></h3>${gallery(cards)}</div>`;
    });
  const hasHeats = groups.some(({ cards }) => cards.some(({ heat }) => heat !== undefined));
  const intro = `<p class="note">Bars are probabilities, ticks thresholds. The first bar is presence, its tick the gate: an image raises an alarm only if presence passes it. ${escaped(heatRemark)}${hasHeats ? ' Hover, or press H, to see images without them.' : ''}</p>`;
  return {
    name: 'mistakes',
    title: 'Mistakes',
    ...(hasHeats && {
      tools: `${heatScale()}<button id="heat-maps" class="button" type="button" aria-pressed="true" hidden>Heat maps</button>`,
    }),
    remark: isOwn ? 'at the decision in use, not at 0.5' : 'at a threshold of 0.5',
    parts: [intro, ...parts],
  };
}

/** Four pictures for the first screen: two finds, a miss and a false alarm. */
export function firstLooks(groups: readonly ImageGroup[]): Look[] {
  const titles: Partial<Record<RowOutcome, string>> = {
    found: 'Found',
    missed: 'Missed',
    'false-alarm': 'False alarm',
  };
  const wanted = [
    ['found', 0],
    ['found', 1],
    ['missed', -1],
    ['false-alarm', 0],
  ] as const;
  return wanted.flatMap(([outcome, at]) => {
    const group = groups.find(({ kind }) => kind.outcome === outcome);
    const card = group?.cards.at(at);
    if (!group || !card?.image) return [];
    return [
      {
        image: card.image,
        heat: card.heat,
        alt: '',
        title: titles[outcome] ?? group.kind.title,
        remark: card.title,
        tone: group.kind.tone,
        href: `#${group.kind.name}`,
      },
    ];
  });
}

function chosenRows(kind: Kind, { scored, names }: JudgedMaterial, { outcomes }: DecisionInUse) {
  const rows = outcomes.ofRow.flatMap((outcome, row) => (outcome === kind.outcome ? [row] : []));
  const isRising = kind.outcome === 'missed';
  rows.sort((a, b) => (isRising ? 1 : -1) * (outcomes.presence[a]! - outcomes.presence[b]!) || a - b);
  const all = rows.length;
  if (kind.outcome !== 'found') return { all, rows: spreadOut(rows, names).slice(0, kind.most) };
  // The most confident of each class, common classes first.
  const { classNames, scores, targets } = scored;
  const order = classNames
    .map((_, j) => j)
    .sort((a, b) => outcomes.byClass[b]!.present - outcomes.byClass[a]!.present);
  const best = order.flatMap((j) => {
    const at = (row: number) => row * classNames.length + j;
    const own = rows.filter((row) => targets[at(row)]! >= 0.5 && outcomes.labels[at(row)] === 1);
    const top = own.reduce((a, b) => (scores[at(b)]! > scores[at(a)]! ? b : a), own[0] ?? -1);
    return top < 0 ? [] : [top];
  });
  return { all, rows: [...new Set(best)].slice(0, kind.most) };
}

/** Without rows of the same name, which resampled data has. */
function spreadOut(rows: readonly number[], names: readonly string[]): number[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    if (seen.has(names[row]!)) return false;
    seen.add(names[row]!);
    return true;
  });
}

function cardOf(
  row: number,
  kind: Kind,
  image: string | undefined,
  { scored, names }: JudgedMaterial,
  inUse: DecisionInUse,
): RowCard {
  const { classNames, scores, targets } = scored;
  const at = (j: number) => row * classNames.length + j;
  const isPresent = (j: number) => targets[at(j)]! >= 0.5;
  const isPredicted = (j: number) => inUse.outcomes.labels[at(j)] === 1;
  const list = (of: (j: number) => boolean) =>
    listed(
      classNames.filter((_, j) => of(j)),
      2,
    );
  const [truth, said] = [list(isPresent), list(isPredicted)];
  // A gate may alarm where no class reaches its threshold.
  const title =
    kind.outcome === 'false-alarm'
      ? said || 'no label'
      : kind.outcome === 'other'
        ? said === ''
          ? `${truth}, no label`
          : `${truth} as ${said}`
        : truth;
  const classBar = (j: number): CardBar => {
    const tone: Outcome | undefined = isPresent(j)
      ? isPredicted(j)
        ? 'found'
        : 'missed'
      : isPredicted(j)
        ? 'false-alarm'
        : undefined;
    return {
      name: classNames[j]!,
      value: scores[at(j)]!,
      threshold: inUse.thresholds[j] ?? null,
      ...(tone && { tone }),
      isStrong: isPresent(j) || isPredicted(j),
    };
  };
  const gate = inUse.presence;
  const presence = presenceProbability(inUse.outcomes.presence[row]!);
  const name = names[row]!;
  return {
    row,
    image,
    alt: `${kind.title}: ${title}. Presence ${percentText(presence, 0)}%. ${name}`,
    title,
    tone: kind.tone,
    bars: [
      { name: 'presence', value: presence, threshold: gate === null ? null : presenceProbability(gate) },
      ...shownClasses(classNames.length, isPresent, isPredicted, (j) => scores[at(j)]!).map(classBar),
    ],
    file: name,
  };
}

/** All classes if they are few; otherwise those that are present or predicted, then the most probable. */
function shownClasses(
  count: number,
  isPresent: (j: number) => boolean,
  isPredicted: (j: number) => boolean,
  score: (j: number) => number,
): number[] {
  const all = Array.from({ length: count }, (_, j) => j);
  if (count <= mostBars) return all;
  const rank = (j: number) => (isPresent(j) ? 4 : 0) + (isPredicted(j) ? 2 : 0) + score(j);
  return all
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, mostBars)
    .sort((a, b) => a - b);
}
