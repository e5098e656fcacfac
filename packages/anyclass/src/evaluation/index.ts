export { type EvaluateOptions, type Evaluation, evaluate } from './evaluate.js';
export { type EvaluateScoresOptions, evaluateScores } from './evaluateScores.js';
export {
  type Fitted,
  fitOnValidation,
  type Intervals,
  type Judgement,
  type JudgeOptions,
  judge,
  type ReliabilityFigures,
} from './judge.js';
