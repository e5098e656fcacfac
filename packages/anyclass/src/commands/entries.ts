// The commands by name. Each is loaded when it runs, so the program starts fast, with little memory and few
// open files.
import type { CommandEntry } from '../commandLine/command.js';

/**
 * The commands in the order of the help: from data to a model and its use, then experiments, then the rest.
 */
export const commandEntries: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'Inspect data and write a configuration for it',
    load: async () => (await import('./init.js')).init,
  },
  {
    name: 'inspect',
    summary: 'Show what is in a dataset, and what is wrong with it',
    load: async () => (await import('./inspect.js')).inspect,
  },
  {
    name: 'prepare',
    summary: 'Preprocess the images of a dataset once, into a cache that training reads',
    load: async () => (await import('./prepare.js')).prepare,
  },
  {
    name: 'train',
    summary: 'Train a network and evaluate it',
    load: async () => (await import('./train.js')).train,
  },
  {
    name: 'watch',
    summary: 'Follow a run from another terminal: time left, and small curves',
    load: async () => (await import('./watch.js')).watch,
  },
  {
    name: 'evaluate',
    summary: 'Evaluate a model, or saved scores, on labeled data',
    load: async () => (await import('./evaluate.js')).evaluate,
  },
  {
    name: 'refit',
    summary: "Fit a model's decision to another site, without training",
    load: async () => (await import('./refit.js')).refit,
  },
  {
    name: 'model',
    summary: 'Show what a model file holds: classes, decision, promise, and where each came from',
    load: async () => (await import('./model.js')).model,
  },
  {
    name: 'predict',
    summary: 'Predict the classes of images, or of feature vectors',
    load: async () => (await import('./predict.js')).predict,
  },
  {
    name: 'explain',
    summary: 'Show where in an image a model sees a class, or why the gate let it through',
    load: async () => (await import('./explain.js')).explain,
  },
  {
    name: 'embed',
    summary: 'Compute the embeddings of a dataset and save them as a dataset of features',
    load: async () => (await import('./embed.js')).embed,
  },
  {
    name: 'export',
    summary: 'Write a model for other programs: ONNX, a web page, timm, torchvision',
    load: async () => (await import('./export.js')).exportModel,
  },
  {
    name: 'serve',
    summary: 'Serve models over HTTP, with a page to try images',
    load: async () => (await import('./serve.js')).serveModels,
  },
  {
    name: 'studio',
    summary: 'Watch runs, set their price and look at their mistakes, in a browser',
    load: async () => (await import('./studio.js')).studio,
  },
  {
    name: 'mine',
    summary: 'Find the likely false alarms in a folder of unlabeled images',
    load: async () => (await import('./mine.js')).mine,
  },
  {
    name: 'select',
    summary: 'Select what to label next from a folder of unlabeled images',
    load: async () => (await import('./select.js')).select,
  },
  {
    name: 'audit',
    summary: 'List or label the images that a server drew to be labeled',
    load: async () => (await import('./audit.js')).audit,
  },
  {
    name: 'monitor',
    summary: 'Say whether a promised false-alarm rate holds after deployment',
    load: async () => (await import('./monitor.js')).monitor,
  },
  {
    name: 'import',
    summary: 'Turn a PyTorch or safetensors checkpoint into a model',
    load: async () => (await import('./import.js')).importCheckpoint,
  },
  {
    name: 'recommend',
    summary:
      'Find out in short pilot runs which input, augmentation and loss your data needs, and write a configuration',
    load: async () => (await import('./recommend.js')).recommend,
  },
  {
    name: 'launch',
    summary: 'Run a command as several processes that share its work',
    load: async () => (await import('./launch.js')).launch,
  },
  {
    name: 'compare',
    summary: 'Train with several losses and seeds, and test which differences are significant',
    load: async () => (await import('./compare.js')).compare,
  },
  {
    name: 'sweep',
    summary: 'Train with one field at several values, and recommend one if it matters',
    load: async () => (await import('./sweep.js')).sweep,
  },
  {
    name: 'tune',
    summary: 'Search for good loss and training settings',
    load: async () => (await import('./tune.js')).tune,
  },
  {
    name: 'soup',
    summary: 'Average the weights of several runs as long as that improves validation',
    load: async () => (await import('./soup.js')).soup,
  },
  {
    name: 'report',
    summary: 'Compare finished runs on one page, with tables and charts to export',
    load: async () => (await import('./report.js')).report,
  },
  {
    name: 'paper',
    summary: 'Rerun a table of the paper and compare the results with the published ones',
    load: async () => (await import('./paper.js')).paper,
  },
  {
    name: 'networks',
    summary: 'List the networks with their size and cost, or those that fit a dataset',
    load: async () => (await import('./networks.js')).networks,
  },
  {
    name: 'weights',
    summary: 'List, download, verify and remove pretrained weights',
    load: async () => (await import('./weights.js')).weights,
  },
  {
    name: 'demo',
    summary: 'Train bce and any-bce on scenes of handwritten digits and show what helped',
    load: async () => (await import('./demo.js')).demo,
  },
  {
    name: 'playground',
    summary: 'Write an interactive page that plots the likelihoods and losses of two classes',
    load: async () => (await import('./playground.js')).playground,
  },
  {
    name: 'verify',
    summary: 'Check losses, metrics and networks on this machine against golden values',
    load: async () => (await import('./verify.js')).verify,
  },
  {
    name: 'setup',
    summary: 'Find, install or download libtorch and build the native libraries, once per machine',
    load: async () => (await import('./setup.js')).setup,
  },
  {
    name: 'doctor',
    summary: 'Check libtorch, BLAS, threads and devices',
    load: async () => (await import('./doctor.js')).doctor,
  },
  {
    name: 'clean',
    summary: 'List what takes space and can be made again, and remove it',
    load: async () => (await import('./clean.js')).clean,
  },
];
