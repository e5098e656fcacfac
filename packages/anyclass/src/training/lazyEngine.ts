// The parts that compute with tensors, loaded when they are needed: libtorch takes 0.8 s and 160 MB.

/** Training, evaluation and prediction, each with the engine. */
export const lazyEngine = {
  training: () => prepared(() => import('../reports/trainAndReport.js')),
  evaluation: () => prepared(() => import('../evaluation/evaluate.js')),
  prediction: () => prepared(() => import('../inference/predictor.js')),
};

// OpenMP's threads wait for one another by spinning, which on a busy machine keeps from running those that they wait for:
// with five processes on two cores an epoch took 66 s, and 3 to 5 s where waiting threads sleep. Read when libtorch is loaded.
function prepared<T>(load: () => Promise<T>): Promise<T> {
  process.env['OMP_WAIT_POLICY'] ??= 'passive';
  return load();
}
