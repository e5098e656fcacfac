import type { Dataset } from '../data/dataset/dataset.js';
import { isNumbered, selectFeatures } from '../data/dataset/featureSource.js';
import { type ModelInput, takesFeatures } from '../data/dataset/inputs.js';
import { type OpenOptions, openDataset } from '../data/openDataset.js';
import { UserError } from '../errors/userError.js';
import type { ModelDescription } from '../runs/modelFile.js';

/**
 * Opens a dataset with the classes and features of a model, in the model's order.
 *
 * @example
 * const dataset = await openForModel('fields.csv', {}, description);
 */
export async function openForModel(
  spec: string,
  open: OpenOptions,
  description: Pick<ModelDescription, 'classes'> & ModelInput,
): Promise<Dataset> {
  const { classes } = description;
  if (!takesFeatures(description)) return openDataset(spec, { ...open, keep: classes, drop: [] });
  const { features } = description;
  const isText = !isNumbered(features) && open.featureColumns === undefined;
  const dataset = await openDataset(spec, {
    ...open,
    keep: classes,
    drop: [],
    ...(isText && { featureColumns: features }),
  });
  if (!dataset.features) throw new UserError(`${dataset.name} holds images; the model takes features`);
  try {
    return { ...dataset, features: selectFeatures(dataset.features, features, dataset.name) };
  } catch (error) {
    await dataset.images.close();
    throw error;
  }
}
