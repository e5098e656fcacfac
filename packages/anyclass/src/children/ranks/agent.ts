// A launcher on one of several machines, which the launcher that the user started follows over a remote shell. Where that one has
// no channel, lines do: what begins with a mark is for it, on standard error; on our standard input it says `stop`, and when that
// closes it is gone.

import type { RunEvent } from '../../events/runEvent.js';
import { isRunEvent } from '../messages.js';
import type { RankPlaces } from './launch.js';
import { isRankFailure, type RankFailure } from './rankFailure.js';

/** Set for an agent: which ranks its machine has, as JSON. */
export const placesVariable = 'ANYCLASS_PLACES';
const mark = '\u0001anyclass ';
export const stopWord = 'stop';

/** What an agent tells: events that say where a restart begins, and why its ranks failed. */
export type AgentMessage = RankFailure | { readonly kind: 'event'; readonly event: RunEvent };

/** The ranks of this machine, where another launcher started this one. */
export function agentPlaces(environment: NodeJS.ProcessEnv = process.env): RankPlaces | undefined {
  const text = environment[placesVariable];
  return text === undefined ? undefined : JSON.parse(text);
}

export function tellMain(message: AgentMessage): void {
  process.stderr.write(`${mark}${JSON.stringify(message)}\n`);
}

/** Calls back when the launcher asks to stop, and when it is gone. */
export function followMain(onStop: () => void, onGone: () => void): Disposable {
  const { stdin } = process;
  const onData = (text: Buffer) => {
    if (text.toString().includes(stopWord)) onStop();
  };
  stdin.on('data', onData);
  stdin.once('end', onGone);
  stdin.once('error', onGone);
  return {
    [Symbol.dispose]() {
      stdin.off('data', onData);
      stdin.off('end', onGone);
      stdin.off('error', onGone);
      stdin.destroy(); // else it keeps this process alive
    },
  };
}

/**
 * Takes an agent's standard error apart: its messages, and the text for the user.
 *
 * @example
 * const read = agentReader((message) => console.log(message), (text) => process.stderr.write(text));
 * child.stderr.on('data', read);
 */
export function agentReader(
  onMessage: (message: AgentMessage) => void,
  onText: (text: string) => void,
): (data: Buffer) => void {
  let rest = '';
  return (data) => {
    const lines = `${rest}${data}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = line.startsWith(mark) ? messageIn(line.slice(mark.length)) : undefined;
      if (message) onMessage(message);
      else onText(`${line}\n`);
    }
    // A progress bar without an end of line is shown as it comes.
    if (rest !== '' && !rest.startsWith('\u0001')) {
      onText(rest);
      rest = '';
    }
  };
}

function messageIn(text: string): AgentMessage | undefined {
  const message: unknown = JSON.parse(text);
  if (isRankFailure(message)) return message;
  const isTelling = typeof message === 'object' && message !== null && 'event' in message;
  return isTelling && isRunEvent(message.event) ? { kind: 'event', event: message.event } : undefined;
}
