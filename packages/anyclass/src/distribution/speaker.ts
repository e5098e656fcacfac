/**
 * Whether this process speaks with the user: the only one, or the first of several. Asked before anything is loaded; an
 * environment that makes no sense is refused later, where the ranks meet.
 */
export function isSpeaker(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { RANK, WORLD_SIZE, JOB_COMPLETION_INDEX, SLURM_STEP_NUM_TASKS, SLURM_PROCID } = environment;
  const indexed = WORLD_SIZE === undefined ? undefined : JOB_COMPLETION_INDEX;
  const rank = RANK ?? indexed ?? (SLURM_STEP_NUM_TASKS === undefined ? undefined : SLURM_PROCID);
  return rank === undefined || Number(rank) === 0;
}
