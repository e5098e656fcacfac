/** Set for an agent: the ranks on its machine, as JSON. */
export const placesVariable = 'ANYCLASS_PLACES';

/** Which of all ranks run on this machine, and where they connect. */
export interface RankPlaces {
  readonly first: number;
  readonly processes: number;
  readonly worldSize: number;
  readonly masterAddress: string;
  /** By default a free port; only if all ranks are on this machine. */
  readonly masterPort?: number | undefined;
}
