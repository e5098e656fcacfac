export { confidentMistakes, type Mistake, type MistakeKind } from './mistakes.js';
export { writeRunReport } from './runReport.js';
