import { loadModel } from '../runs/modelFile.js';
import type { ForeignExport } from './foreignWeights.js';
import { exportTimm } from './timm.js';
import { exportTorchvision } from './torchvision.js';

const libraries = { timm: exportTimm, torchvision: exportTorchvision } as const;

/** The libraries that a model can be written for. */
export type Library = keyof typeof libraries;

/**
 * Writes a model (its file, or its run folder) in the format of another library.
 *
 * @example
 * exportFolder('timm', 'runs/sewer', 'sewer-timm').architecture // 'tresnet_l'
 */
export function exportFolder(library: Library, path: string, folder: string): ForeignExport {
  const model = loadModel(path);
  try {
    return libraries[library](model, folder);
  } finally {
    model.network.dispose();
  }
}
