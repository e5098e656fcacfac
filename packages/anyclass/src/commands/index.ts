import type { Command } from '../commandLine/command.js';
import { commandEntries } from './entries.js';

/** All commands, loaded: for what looks at every one of them. The program loads the one that it runs. */
export const commands: readonly Command[] = await Promise.all(commandEntries.map(({ load }) => load()));
