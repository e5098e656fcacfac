import type { Model } from '../runs/modelFile.js';
import {
  type ForeignExport,
  foreignNetwork,
  imagePreparation,
  threeChannels,
  writeExport,
} from './foreignWeights.js';

/**
 * Writes a model as a folder that timm loads, if timm has its network: `config.json` and `model.safetensors`. Calibration and
 * decision, which timm ignores, are in `config.json` under `anyclass`.
 *
 * @example
 * exportTimm(loadModel('runs/sewer'), 'sewer-timm').architecture // 'tresnet_l'
 * // in Python: timm.create_model('local-dir:sewer-timm', pretrained=True), then a sigmoid of its logits
 */
export function exportTimm(model: Model, folder: string): ForeignExport {
  const { network, description } = model;
  const rules = foreignNetwork(network, 'timm');
  const { inputSize } = network.options;
  const { name, arguments: modelArguments } = rules.architecture(network.options);
  const { classes, loss, calibration, decision } = description;
  const { mean, std } = imagePreparation(description);
  const files = writeExport(folder, model, rules, {
    architecture: name,
    num_classes: classes.length,
    label_names: classes,
    ...(Object.keys(modelArguments).length > 0 && { model_args: modelArguments }),
    pretrained_cfg: {
      custom_load: false,
      input_size: [3, inputSize, inputSize],
      // Our images are resized without keeping the aspect ratio, and nothing is cropped.
      interpolation: 'bilinear',
      crop_pct: 1,
      crop_mode: 'squash',
      mean: threeChannels(mean),
      std: threeChannels(std),
      num_classes: classes.length,
      ...rules.ends,
    },
    anyclass: { loss, calibration, decision },
  });
  return { folder, architecture: name, files };
}
