import type { Command } from '../commandLine/command.js';
import { doctor } from './doctor.js';
import { networks } from './networks.js';
import { verify } from './verify.js';

/** In the order in which the help lists them. */
export const commands: readonly Command[] = [networks, verify, doctor];
