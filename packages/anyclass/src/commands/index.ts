import type { Command } from '../commandLine/command.js';
import { doctor } from './doctor.js';
import { inspect } from './inspect.js';
import { networks } from './networks.js';
import { prepare } from './prepare.js';
import { train } from './train.js';
import { verify } from './verify.js';

/** In the order in which the help lists them. */
export const commands: readonly Command[] = [inspect, prepare, train, networks, verify, doctor];
