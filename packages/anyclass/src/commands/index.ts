import type { Command } from '../commandLine/command.js';
import { commandEntries } from './entries.js';

/**
 * All commands, loaded, for code that needs every one. The program itself loads only the command that it
 * runs.
 */
export const commands: readonly Command[] = await Promise.all(commandEntries.map(({ load }) => load()));
