// Tuning: a search for good settings, by any number of processes at once.
//   space, searchSpace             what is searched
//   study, journal, studyLock      its folder: settings, what happened (events), one change at a time
//   ledger                         takes trials from it and notes what came of them; ends poor ones early (halving)
//   sampler, parzen, score         the values of the next trial
//   work, workerLife               processes at work, and those that are dead
//   trainTrial                     a trial as a run in a process of its own (children/)
//   studyResult                    what was found (importance)

export type { StudyState, Trial } from './events.js';
export { type Claim, type Ledger, openLedger } from './ledger.js';
export { type Observation, type SearchSpace, sample, type Values } from './sampler.js';
export { checkSearch, defaultSearch, parseSearch } from './searchSpace.js';
export { parseSpace, type Space, type Value } from './space.js';
export { createStudy, readStudy, type StudySettings } from './study.js';
export { withStudyLock } from './studyLock.js';
export { type StudyResult, studyResult, studyText, type TrialResult } from './studyResult.js';
export { trainTrial, trialConfiguration } from './trainTrial.js';
export { type Objective, type Outcome, type TrialHooks, type WorkOptions, work } from './work.js';
