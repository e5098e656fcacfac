import type { Command } from '../commandLine/command.js';
import { compare } from './compare.js';
import { demo } from './demo.js';
import { doctor } from './doctor.js';
import { evaluate } from './evaluate.js';
import { exportModel } from './export.js';
import { importCheckpoint } from './import.js';
import { init } from './init.js';
import { inspect } from './inspect.js';
import { networks } from './networks.js';
import { paper } from './paper.js';
import { playground } from './playground.js';
import { predict } from './predict.js';
import { prepare } from './prepare.js';
import { recommend } from './recommend.js';
import { report } from './report.js';
import { serveModels } from './serve.js';
import { setup } from './setup.js';
import { sweep } from './sweep.js';
import { train } from './train.js';
import { tune } from './tune.js';
import { verify } from './verify.js';
import { weights } from './weights.js';

/** In the order of the help: from data to a model and its use, then experiments, then the rest. */
export const commands: readonly Command[] = [
  init,
  inspect,
  prepare,
  train,
  evaluate,
  predict,
  exportModel,
  serveModels,
  importCheckpoint,
  recommend,
  compare,
  sweep,
  tune,
  report,
  paper,
  networks,
  weights,
  demo,
  playground,
  verify,
  setup,
  doctor,
];
