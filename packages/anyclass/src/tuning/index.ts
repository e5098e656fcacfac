// Tuning: a search for good settings, by any number of processes at once.
//   space, searchSpace             the fields to search, and their ranges
//   study, journal, studyLock      the study's folder: settings, journal (events), one change at a time
//   ledger                         hands out trials and records their outcomes; stops poor ones early (halving)
//   sampler, parzen, score         choose the values of the next trial
//   work, workerLife               workers, and how to tell which are dead
//   trainTrial                     runs a trial in its own process (children/)
//   studyResult                    what the study found (importance)

export type { StudyState, Trial } from './events.js';
export { type Claim, type Ledger, openLedger } from './ledger.js';
export { type Observation, type SearchSpace, sample, type Values } from './sampler.js';
export { checkSearch, defaultSearch, type SearchRequest, searchSpace } from './searchSpace.js';
export type { Space, Value } from './space.js';
export { createStudy, readStudy, type StudySettings } from './study.js';
export { withStudyLock } from './studyLock.js';
export { type StudyResult, studyResult, studyText, type TrialResult } from './studyResult.js';
export { trainTrial, trialConfiguration } from './trainTrial.js';
export { type Objective, type Outcome, type TrialHooks, type WorkOptions, work } from './work.js';
