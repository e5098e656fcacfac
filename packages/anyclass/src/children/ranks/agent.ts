// An agent: the launcher on one of several machines, controlled over a remote shell by the main launcher that
// the user started. Since there is no channel, they exchange lines: on standard error, lines that start with
// a mark are for the main launcher; on standard input, it sends the work and later `stop`. When standard input
// closes, the main launcher is gone.

import type { RunEvent } from '../../events/runEvent.js';
import { isRunEvent } from '../messages.js';
import { isRankFailure, type RankFailure } from './rankFailure.js';

const mark = '\u0001anyclass ';
export const stopWord = 'stop';

/** A message from an agent: an event that says where a restart resumes, or why its ranks failed. */
export type AgentMessage = RankFailure | { readonly kind: 'event'; readonly event: RunEvent };

export function tellMain(message: AgentMessage): void {
  process.stderr.write(`${mark}${JSON.stringify(message)}\n`);
}

/** Calls back when the main launcher asks to stop, and when it is gone. */
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
      stdin.destroy(); // otherwise it keeps this process alive
    },
  };
}

/**
 * Splits an agent's standard error into its messages and the text for the user.
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
    // A progress bar without a newline is shown right away.
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
