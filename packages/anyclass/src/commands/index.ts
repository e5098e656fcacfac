import type { Command } from '../commandLine/command.js';
import { doctor } from './doctor.js';

/** In the order in which the help lists them. */
export const commands: readonly Command[] = [doctor];
