// Our side of bench:loss on the CPU; prints what it measured as JSON.

import { setThreadCount, tidy } from '@anyclass/torch';
import { medianTime } from '../measure/timing.js';
import { lossProblem, lossStep } from './problem.js';

setThreadCount(2);

const measured = process.argv.slice(2).map((argument) => {
  const [base, shape = ''] = argument.split(' ');
  const [rows = 0, classes = 0] = shape.split('x').map(Number);
  const problem = lossProblem(rows, classes, 'cpu');
  const repeats = rows * classes < 100_000 ? 200 : 7;
  const step = () => tidy(() => lossStep(problem, base === 'asl' ? 'asl' : 'focal'));
  return [argument, medianTime(step, { repeats })];
});
console.log(JSON.stringify(Object.fromEntries(measured)));
