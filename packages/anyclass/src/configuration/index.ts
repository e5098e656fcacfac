export { type BestMetric, bestMetrics } from '../events/bestMetric.js';
export { defineConfig } from './defineConfig.js';
export { type ReadOptions, readFields } from './readFields.js';
export { recipe, recipeNames } from './recipes.js';
export { type Configuration, type ConfigurationInput, configurationSchema } from './schema.js';
export { validateConfiguration } from './validate.js';
