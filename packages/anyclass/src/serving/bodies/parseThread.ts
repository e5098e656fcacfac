// The thread that parses large JSON bodies. Started by jsonRequests.ts.

import { parentPort } from 'node:worker_threads';
import { Problem } from '../../web/problem.js';
import { type ParseAnswer, type ParseTask, parsedInfer, parsedPredict } from './parsedRequest.js';

parentPort?.on('message', (task: ParseTask) => {
  parentPort?.postMessage(answerTo(task));
});

function answerTo({ body, format, mostImages }: ParseTask): ParseAnswer {
  try {
    return format === undefined
      ? { predict: parsedPredict(body, mostImages) }
      : { infer: parsedInfer(body, format, mostImages) };
  } catch (error) {
    if (error instanceof Problem) return { problem: { kind: error.kind, message: error.message } };
    if (error instanceof RangeError)
      return { problem: { kind: 'bad-request', message: 'the body is nested too deeply or too long' } };
    throw error;
  }
}
