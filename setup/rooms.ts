// The floor plan. A folder's order lists what it holds, bottom to top: each entry imports only from entries before it, types
// included. '.' stands for the folder's own files, except those listed by name; `index.ts` and `main.ts` stand above all, and
// tests are not part of the plan. `rooms.test.ts` compares this with the imports and names those that break it.

/** The order of every folder that holds two or more things. */
export const orders: Readonly<Record<string, readonly string[]>> = {
  'packages/core/src': [
    'arrays',
    'random',
    'labels',
    'balance',
    'losses',
    'metrics',
    'thresholds',
    'decisions',
    'calibration',
    'bootstrap',
    'monitoring',
    'splits',
    'surfaces',
  ],
  'packages/core/src/losses': ['.', 'simd', 'anyClassLoss.ts'],

  'packages/files/src': ['files', 'locks', 'downloads'],

  'packages/torch': ['setup', 'src', 'generate'],
  'packages/torch/src': [
    'builds',
    'native',
    'tensor',
    'operators',
    'autograd',
    'runtime',
    'nn',
    'optim',
    'serialization',
    'weights',
    'cuda',
    'distributed',
  ],

  'packages/kit/src': ['.', 'style', 'chart', 'blocks', 'style.ts', 'script.ts'],

  'packages/browser/src': ['images', '.'],

  'packages/anyclass': ['src', 'bin'],
  'packages/anyclass/src': [
    'errors',
    'events',
    'files',
    'hub',
    'kernels',
    'tables',
    'charts',
    'pages',
    'distribution',
    'data',
    'networks',
    'losses',
    'configuration',
    'inspect',
    'runs',
    'inference',
    'evaluation',
    'training',
    'children',
    'experiments',
    'tuning',
    'recommendation',
    'reports',
    'export',
    'serving',
    'workflows',
    'verify',
    'setup',
    'doctor',
    'clean',
    'playground',
    'demo',
    'commandLine',
    'commands',
    '.',
  ],
  'packages/anyclass/src/children': ['.', 'ranks'],
  'packages/anyclass/src/commandLine': ['display', 'grammar', '.'],
  'packages/anyclass/src/data': [
    'random',
    'dataset',
    'augmentation',
    'images',
    'tables',
    'features',
    'readers',
    'digits',
    'lookAlikes',
    'splits',
    '.',
    'cache',
    'batches',
    'tensors.ts',
  ],
  'packages/anyclass/src/data/dataset': ['reading', '.'],
  'packages/anyclass/src/data/images': ['storage', 'levels', 'dicom', 'formats', 'decoding', '.'],
  'packages/anyclass/src/data/images/decoding': ['.', 'pool', 'decoder.ts'],
  'packages/anyclass/src/data/readers': ['.', 'labelTables', 'coco', 'folders', 'known'],
  'packages/anyclass/src/data/tables': ['.', 'parquet'],
  'packages/anyclass/src/export': ['embedding', 'onnx', '.', 'web'],
  'packages/anyclass/src/export/onnx': ['graph', 'translate', 'precision', '.'],
  'packages/anyclass/src/export/web': ['.', 'page'],
  'packages/anyclass/src/inference': ['onnx', '.'],
  'packages/anyclass/src/networks': ['layers', 'published', '.', 'weights'],
  'packages/anyclass/src/playground': ['.', 'page'],
  'packages/anyclass/src/reports': ['.', 'experiment'],
  'packages/anyclass/src/serving': ['requests', 'models', 'operation', 'api', 'bodies', 'pages', 'http', '.'],
};

/** Which packages a package may import. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  '@anyclass/core': [],
  '@anyclass/files': [],
  '@anyclass/kit': [],
  '@anyclass/torch': ['@anyclass/files'],
  '@anyclass/browser': ['@anyclass/core'],
  anyclass: ['@anyclass/browser', '@anyclass/core', '@anyclass/files', '@anyclass/kit', '@anyclass/torch'],
};

/** Folders that import nothing from elsewhere in their package. */
export const ground: readonly string[] = ['packages/anyclass/src/events'];

/**
 * Folders whose order does not hold yet, and files that still import each other in a circle. The test fails if an entry is no
 * longer needed.
 */
export const notYet: { readonly folders: readonly string[]; readonly files: readonly string[] } = {
  folders: [],
  files: [],
};
