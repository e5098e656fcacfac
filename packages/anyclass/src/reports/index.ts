// Pages and text from runs and judgments.

export { type JudgeOptions, judge } from '../evaluation/judge.js';
export {
  csvTable,
  latexTable,
  markdownTable,
  type Table,
  textTable,
} from '../tables/index.js';
export { judgmentText, summaryText } from './judgmentText.js';
export { writeRunReport } from './runReport.js';
