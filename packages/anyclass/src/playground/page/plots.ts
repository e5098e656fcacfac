// The surfaces that the paper's appendix compares: means of the probabilities, likelihoods of the labels, and
// their negative logs, the losses.

import type { LikelihoodQuantity, SurfaceKind } from '@anyclass/core';

export interface PlotDefinition extends SurfaceKind {
  readonly id: string;
  readonly title: string;
  /** Title if γ is above 0. */
  readonly focusedTitle: string;
  /** HTML. */
  readonly formula: string;
  readonly negativeLog: boolean;
  /** The settings that change it, besides the labels. */
  readonly dependsOn: readonly ('lambda' | 'alpha' | 'gamma')[];
}

export interface PlotRow {
  readonly heading: string;
  /** HTML. */
  readonly explanation: string;
  readonly plots: readonly PlotDefinition[];
}

// Formats a symbol; if it has both a subscript and a superscript, they are stacked.
const symbol = (name: string, below = '', above = '') => {
  if (below === '' || above === '') return `<i>${name}</i>${mark('sub', below)}${mark('sup', above)}`;
  return `<i>${name}</i><span class="marks"><span>${above}</span><span>${below}</span></span>`;
};
const mark = (place: 'sub' | 'sup', text: string) => (text === '' ? '' : `<${place}>${text}</${place}>`);
const ofP = (name: string) => `${symbol(name)}(${symbol('p')})`;
const normalized = (name: string) => `${ofP(name)} / (${ofP(name)} + ${symbol(name)}(1−${symbol('p')}))`;

const means: readonly PlotDefinition[] = [
  likelihoodPlot('product', 'Product', `${ofP('P')} = ∏ ${symbol('p', '<i>j</i>', '<i>w</i>ⱼ')}`, ['lambda']),
  likelihoodPlot(
    'geometric-mean',
    'Geometric mean',
    `${ofP('G')} = ∏ ${symbol('p', '<i>j</i>', '<i>w</i>ⱼ/Σ<i>w</i>')}`,
    ['lambda'],
  ),
  likelihoodPlot('normalized-product', 'Normalized product', normalized('P'), ['lambda']),
  likelihoodPlot(
    'normalized-geometric-mean',
    'Normalized geometric mean',
    `${symbol('p', 'a')} = ${normalized('G')}`,
    ['lambda'],
  ),
];

const likelihoods: readonly PlotDefinition[] = [
  likelihoodPlot('bce', 'Binary cross-entropy', `∏ ${symbol('p', '<i>j</i>', 't')}`, ['gamma']),
  likelihoodPlot('any-class', 'Any class, geometric mean', symbol('p', 'a', 't'), ['lambda', 'gamma']),
  likelihoodPlot(
    'combined',
    'Combined',
    `∏ ${symbol('p', '<i>j</i>', 't')} · (${symbol('p', 'a', 't')})<sup><i>α</i></sup>`,
    ['lambda', 'alpha', 'gamma'],
  ),
  likelihoodPlot(
    'any-class-product',
    'Any class, plain product',
    `${symbol('p', 'a', 't')} with ${symbol('P')} for ${symbol('G')}`,
    ['lambda', 'gamma'],
  ),
  likelihoodPlot(
    'combined-product',
    'Combined, plain product',
    `∏ ${symbol('p', '<i>j</i>', 't')} · (${symbol('p', 'a', 't')})<sup><i>α</i></sup> with ${symbol('P')} for ${symbol('G')}`,
    ['lambda', 'alpha', 'gamma'],
  ),
];

/** The means, the likelihoods and their losses. */
export const plotRows: readonly PlotRow[] = [
  {
    heading: 'Means of the probabilities',
    explanation: `weights ${symbol('w', '<i>j</i>')} = 1 for a present class, <i>λ</i> for an absent one; all 1 if none is present`,
    plots: means,
  },
  {
    heading: 'Likelihood of the labels',
    explanation: `${symbol('p', '', 't')} is the probability of the truth: ${symbol('p')} if present, 1−${symbol('p')} if absent; <i>γ</i> raises it to the power (1−${symbol('p', '', 't')})<sup><i>γ</i></sup>`,
    plots: likelihoods,
  },
  {
    heading: 'Loss',
    explanation: '−log of the row above',
    plots: likelihoods.map((plot) => ({
      ...plot,
      id: `${plot.id}-loss`,
      formula: `−log ${plot.formula}`,
      negativeLog: true,
    })),
  },
];

function likelihoodPlot(
  quantity: LikelihoodQuantity,
  title: string,
  formula: string,
  dependsOn: PlotDefinition['dependsOn'],
): PlotDefinition {
  const focusedTitle = quantity === 'bce' ? 'Focal' : title;
  return { id: quantity, quantity, title, focusedTitle, formula, negativeLog: false, dependsOn };
}
