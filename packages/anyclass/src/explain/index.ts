// anyclass/explain: heat maps of networks and models.

export {
  type ExplainedTarget,
  type Explainer,
  type ExplainOptions,
  type Explanation,
  openExplainer,
} from './explainer.js';
export { type HeatMap, type HeatMapMethod, peakOf, peakPlace, type Target, unitOf } from './heatMap.js';
export { type HeatMapOptions, heatMaps } from './heatMaps.js';
export { heatPicture, overlayPicture, type ShownImage, shownImage } from './overlay.js';
