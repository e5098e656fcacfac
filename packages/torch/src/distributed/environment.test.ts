import { describe, expect, test } from 'vitest';
import { launchEnvironment } from './environment.js';

describe('a process is a rank', () => {
  test('only if a launcher says so', () => {
    expect(launchEnvironment({ HOME: '/root' })).toBeUndefined();
    // A Slurm batch script that runs without srun.
    expect(launchEnvironment({ SLURM_NTASKS: '4', SLURM_PROCID: '0', SLURM_JOB_ID: '7' })).toBeUndefined();
  });

  test('on one machine by RANK and WORLD_SIZE alone', () => {
    expect(launchEnvironment({ RANK: '1', WORLD_SIZE: '3' })).toEqual({
      rank: 1,
      worldSize: 3,
      localRank: 1,
      localWorldSize: 3,
      masterAddress: '127.0.0.1',
      masterPort: 29500,
    });
  });

  test('as described by torchrun', () => {
    const variables = {
      RANK: '5',
      WORLD_SIZE: '8',
      LOCAL_RANK: '1',
      LOCAL_WORLD_SIZE: '4',
      MASTER_ADDR: 'node1',
      MASTER_PORT: '4711',
      TORCHELASTIC_USE_AGENT_STORE: 'True',
      TORCHELASTIC_RESTART_COUNT: '2',
      TORCHELASTIC_ERROR_FILE: '/tmp/torchelastic_x/job_y/attempt_2/1/error.json',
    };
    expect(launchEnvironment(variables)).toEqual({
      rank: 5,
      worldSize: 8,
      localRank: 1,
      localWorldSize: 4,
      masterAddress: 'node1',
      masterPort: 4711,
      agent: { prefix: '/worker/attempt_2', folder: '/tmp/torchelastic_x/job_y/attempt_2' },
    });
  });

  test('as described by an indexed Kubernetes Job, with WORLD_SIZE and MASTER_ADDR', () => {
    const variables = { JOB_COMPLETION_INDEX: '3', WORLD_SIZE: '4', MASTER_ADDR: 'sewer-0.sewer' };
    expect(launchEnvironment(variables)).toEqual({
      rank: 3,
      worldSize: 4,
      localRank: 0,
      localWorldSize: 1,
      masterAddress: 'sewer-0.sewer',
      masterPort: 29500,
    });
    // A Job whose pods are independent of each other.
    expect(launchEnvironment({ JOB_COMPLETION_INDEX: '3' })).toBeUndefined();
  });

  test.each([
    ['gpu[07-12,20],login1', '4(x2),3', '1', 'gpu07', 4],
    ['host-a,host-b', '2,1', '1', 'host-a', 1],
    ['solo', '3', '0', 'solo', 3],
  ])('as described by srun on %s', (nodes, tasks, node, masterAddress, localWorldSize) => {
    const variables = {
      SLURM_STEP_NUM_TASKS: '11',
      SLURM_PROCID: '4',
      SLURM_LOCALID: '0',
      SLURM_NODEID: node,
      SLURM_STEP_NODELIST: nodes,
      SLURM_STEP_TASKS_PER_NODE: tasks,
      SLURM_JOB_ID: '123456',
    };
    expect(launchEnvironment(variables)).toEqual({
      rank: 4,
      worldSize: 11,
      localRank: 0,
      localWorldSize,
      masterAddress,
      masterPort: 18456,
    });
  });

  test.each([
    [{ RANK: '2', WORLD_SIZE: '2' }, 'RANK is 2'],
    [{ RANK: '0' }, 'WORLD_SIZE is not set'],
    [{ RANK: 'x', WORLD_SIZE: '2' }, 'RANK is x'],
    [{ RANK: '0', WORLD_SIZE: '2', MASTER_PORT: '70000' }, 'MASTER_PORT is 70000'],
    [{ SLURM_STEP_NUM_TASKS: '2' }, 'SLURM_LOCALID is not set'],
  ])('never with impossible numbers: %o', (variables, message) => {
    expect(() => launchEnvironment(variables)).toThrow(message);
  });
});
