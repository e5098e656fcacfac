// anyclass: multi-label classifiers on data where most examples are negative.

export { ProgressBar, type ProgressOutput } from './commandLine/progressBar.js';
