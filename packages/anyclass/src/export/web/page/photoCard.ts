import type { Prediction } from '@anyclass/browser';
import { create } from './elements.js';
import { drawHeatMap, heatScale } from './heatOverlay.js';
import { resultView } from './resultView.js';

/** A photo and its prediction. */
export interface PhotoCard {
  readonly element: HTMLElement;
  show(prediction: Prediction): void;
  fail(reason: string): void;
}

const leastSide = 200;

/**
 * Creates a card that shows its photo at once, and the result when it is ready.
 *
 * @example
 * document.body.append(photoCard(file).element);
 */
export function photoCard(file: File): PhotoCard {
  const image = create('img', '');
  image.alt = file.name;
  image.src = URL.createObjectURL(file);
  image.addEventListener('load', () => {
    URL.revokeObjectURL(image.src);
    // Small images are enlarged: details and heat maps would be hard to see.
    const { naturalWidth: width, naturalHeight: height } = image;
    const scale = Math.floor(leastSide / Math.max(width, height));
    if (scale > 1) image.width = scale * width;
  });
  const heat = create('canvas', 'heat');
  heat.hidden = true;
  const scale = create('p', 'scale');
  const picture = create('div', 'picture', create('div', 'frame', image, heat), scale);
  const status = create('p', 'faint', 'Waiting for the model…');
  const result = create('div', 'result', status);
  const element = create('article', 'photo', picture, create('h2', '', file.name), result);
  return {
    element,
    show(prediction) {
      const onSelect = (name: string | undefined) => {
        const map = name === undefined ? undefined : prediction.heatMaps?.[name];
        heat.hidden = map === undefined;
        scale.replaceChildren(...(map ? heatScale(map) : []));
        if (map) drawHeatMap(heat, map);
      };
      result.replaceChildren(...resultView(prediction, onSelect));
      element.dataset['labels'] = prediction.labels.join(', ');
      element.classList.toggle('negative', prediction.isNegative);
    },
    fail(reason) {
      element.classList.add('failed');
      result.replaceChildren(create('p', 'failure warning', reason));
    },
  };
}
