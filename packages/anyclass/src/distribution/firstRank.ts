/**
 * Whether this process communicates with the user: it is the only one, or the first of several. Called before
 * anything is loaded; an invalid environment is reported later, when the ranks join.
 */
export function isFirstRank(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { RANK, WORLD_SIZE, JOB_COMPLETION_INDEX, SLURM_STEP_NUM_TASKS, SLURM_PROCID } = environment;
  const indexed = WORLD_SIZE === undefined ? undefined : JOB_COMPLETION_INDEX;
  const rank = RANK ?? indexed ?? (SLURM_STEP_NUM_TASKS === undefined ? undefined : SLURM_PROCID);
  return rank === undefined || Number(rank) === 0;
}
