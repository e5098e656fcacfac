export { type LoadWeightsOptions, loadWeights, type WeightReport, weightReportText } from './loadWeights.js';
export { readWeights } from './readWeights.js';
export { saveWeights } from './saveWeights.js';
