import type { Command } from '../commandLine/command.js';
import { compare } from './compare.js';
import { doctor } from './doctor.js';
import { evaluate } from './evaluate.js';
import { exportModel } from './export.js';
import { importCheckpoint } from './import.js';
import { init } from './init.js';
import { inspect } from './inspect.js';
import { launch } from './launch.js';
import { networks } from './networks.js';
import { paper } from './paper.js';
import { playground } from './playground.js';
import { predict } from './predict.js';
import { prepare } from './prepare.js';
import { recommend } from './recommend.js';
import { report } from './report.js';
import { setup } from './setup.js';
import { sweep } from './sweep.js';
import { train } from './train.js';
import { tune } from './tune.js';
import { verify } from './verify.js';
import { weights } from './weights.js';

/** As the help lists them: from data to a model and its use, then experiments, then what is beside them. */
export const commands: readonly Command[] = [
  init,
  inspect,
  prepare,
  train,
  evaluate,
  predict,
  exportModel,
  importCheckpoint,
  recommend,
  launch,
  compare,
  sweep,
  tune,
  report,
  paper,
  networks,
  weights,
  playground,
  verify,
  setup,
  doctor,
];
