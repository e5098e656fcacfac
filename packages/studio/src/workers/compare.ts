// The worker of Compare: a quick answer, then one with more replicates.

import { comparedRuns } from '../views/compare/engine.js';
import type { CompareAnswer, CompareQuestion } from '../views/compare/messages.js';

let newest = 0;

addEventListener('message', ({ data }: MessageEvent<CompareQuestion>) => {
  newest = data.turn;
  // After the messages that wait: an older question need not be answered.
  setTimeout(() => answer({ ...data, replicates: 60 }, () => setTimeout(() => answer(data))));
});

function answer(question: CompareQuestion, then = () => {}): void {
  if (question.turn !== newest) return;
  const tell = (message: CompareAnswer) => postMessage(message);
  try {
    tell({ turn: question.turn, compared: comparedRuns(question) });
    then();
  } catch (error) {
    tell({ turn: question.turn, problem: error instanceof Error ? error.message : String(error) });
  }
}
