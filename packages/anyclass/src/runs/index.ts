export type { EpochRecord } from '../events/epochRecord.js';
export { readEpochs } from './metricsLog.js';
export { openRun, type RunPaths, type RunRecord, runPaths } from './runFolder.js';
export { joinTables, type NamedTable, readTable, writeTable } from './scoreFiles.js';
