// Run folders: the files of a run, and tables of scores.

export { type LoggedEvent, readEvents } from './eventLog.js';
export { readEpochs } from './metricsLog.js';
export { loadModel, type Model, type ModelDescription, saveModel } from './modelFile.js';
export type { NamedTable } from './namedTable.js';
export { openRun, type RunPaths, type RunRecord, runPaths } from './runFolder.js';
export { type RunScores, runScores } from './runScores.js';
export { joinTables, readTable, writeTable } from './scoreFiles.js';
export { readSummary } from './summary.js';
