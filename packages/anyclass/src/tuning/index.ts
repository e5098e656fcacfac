export type { StudyState, Trial } from './events.js';
export { type Claim, type Ledger, openLedger } from './ledger.js';
export { type Observation, type SearchSpace, sample, type Values } from './sampler.js';
export { checkSearch, defaultSearch, parseSearch } from './searchSpace.js';
export { parseSpace, type Space, type Value } from './space.js';
export { createStudy, readStudy, type StudySettings } from './study.js';
export { type StudyResult, studyResult, studyText, type TrialResult } from './studyResult.js';
export { trainTrial, trialConfiguration } from './trainTrial.js';
export { type Objective, type Outcome, type TrialHooks, type WorkOptions, work } from './work.js';
