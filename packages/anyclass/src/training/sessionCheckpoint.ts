// How a session is saved, and restored so that training goes on as if nothing had happened.

import { generatorState, setGeneratorState, setThreadCount, type Tensor, threadCount } from '@anyclass/torch';
import { gatherTensorsNow } from '../distribution/exchange.js';
import type { ComputeSettings } from '../inference/computeDevice.js';
import type { Checkpoint, CheckpointState } from './checkpoint.js';
import type { Session } from './session.js';

/** Everything that the run needs to resume from here as if nothing had happened. */
export function checkpointOf(session: Session): Checkpoint {
  const { network, average, optimizer, settings, ranks } = session;
  const tensors = new Map<string, Tensor>();
  const add = (prefix: string, named: Iterable<readonly [string, Tensor]>) => {
    for (const [name, tensor] of named) tensors.set(`${prefix}.${name}`, tensor);
  };
  add('network', network.stateDict());
  add('optimizer', optimizer.stateDict().state);
  if (average) add('average', average.network.stateDict());
  if (session.margins) add('margins', session.margins.save());
  for (const [name, generator] of generators(settings)) {
    const all = ranks ? gatherTensorsNow(ranks, generator) : [generator];
    all.forEach((state, rank) => {
      tensors.set(`${generatorPart(rank)}.${name}`, state);
    });
  }
  return { tensors, state: stateOf(session) };
}

/**
 * What a finished run keeps in place of its checkpoints: enough to evaluate its best weights again, without the tensors
 * to train on from.
 */
export function finalCheckpointOf(session: Session): Checkpoint {
  return { tensors: new Map(), state: stateOf(session) };
}

/** Brings a new session to the state that a checkpoint holds. */
export function restoreSession(session: Session, { tensors, state }: Checkpoint): void {
  const part = (prefix: string) =>
    new Map(
      [...tensors].flatMap(([name, tensor]) =>
        name.startsWith(`${prefix}.`) ? [[name.slice(prefix.length + 1), tensor]] : [],
      ),
    );
  const { ranks } = session;
  // The exact bits depend on how sums are split over threads and ranks.
  const isSameCut = (state.worldSize ?? 1) === (ranks?.worldSize ?? 1);
  if (isSameCut) setThreadCount(state.threads);
  session.progress = state.progress;
  session.hasLastWeights = tensors.size > 0;
  if (!session.hasLastWeights) return;
  session.network.loadStateDict(part('network'));
  session.average?.network.loadStateDict(part('average'));
  session.margins?.restore(part('margins'));
  session.optimizer.loadStateDict({ state: part('optimizer'), groups: state.optimizerGroups });
  session.scheduler.loadStateDict(state.scheduler);
  session.scaler.loadStateDict(state.scaler);
  // With a different number of ranks, all but the first keep the seeds that they started with.
  const ownGenerator = isSameCut || ranks?.isFirst !== false ? generatorPart(ranks?.rank ?? 0) : undefined;
  for (const [name, generator] of ownGenerator === undefined ? [] : part(ownGenerator)) {
    setGeneratorState(generator, name === 'cpu' ? 'cpu' : session.settings.device);
  }
  for (const tensor of tensors.values()) tensor.dispose();
}

function stateOf({ optimizer, scheduler, scaler, progress, ranks }: Session): CheckpointState {
  return {
    progress: structuredClone(progress),
    optimizerGroups: optimizer.stateDict().groups,
    scheduler: scheduler.stateDict(),
    scaler: scaler.stateDict(),
    threads: threadCount(),
    ...(ranks && { worldSize: ranks.worldSize }),
  };
}

/** The states of the random generators that layers draw from. */
function generators({ device }: ComputeSettings): (readonly ['cpu' | 'device', Tensor])[] {
  const cpu = ['cpu', generatorState('cpu')] as const;
  return device === 'cpu' ? [cpu] : [cpu, ['device', generatorState(device)]];
}

function generatorPart(rank: number): string {
  return rank === 0 ? 'generator' : `rank${rank}.generator`;
}
