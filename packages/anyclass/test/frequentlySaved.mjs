/** Fields of a run that takes seconds, saves often, and has all the state that resuming must restore. */
export const frequentlySaved = [
  'network.inputSize=16',
  'batchSize=16',
  'epochs=3',
  'optimizer.name=sgd',
  'optimizer.rate=0.05',
  'averageDecay=0.9',
  'augmentation={"flip":0.5,"rotation":10}',
  'checkpoints.everyMinutes=0.003',
  // Tests compare the last checkpoint, too.
  'checkpoints.keepFinished=true',
  'device=cpu',
  // More threads than free cores wait for one another; on a busy machine, one is the fastest.
  'threads=1',
];
