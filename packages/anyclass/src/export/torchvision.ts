import type { Model } from '../runs/modelFile.js';
import {
  type ForeignExport,
  foreignNetwork,
  imagePreparation,
  threeChannels,
  writeExport,
} from './foreignWeights.js';

/**
 * Writes a model for torchvision, if that has its network: `model.safetensors` with torchvision's names, and `config.json` with
 * the network's arguments and the image preparation.
 *
 * @example
 * exportTorchvision(loadModel('runs/sewer'), 'sewer-torchvision').architecture // 'vit_b_16'
 * // in Python: model = torchvision.models.get_model(config['architecture'], **config['arguments'])
 * //            model.load_state_dict(safetensors.torch.load_file('sewer-torchvision/model.safetensors'))
 */
export function exportTorchvision(model: Model, folder: string): ForeignExport {
  const { network, description } = model;
  const rules = foreignNetwork(network, 'torchvision');
  const { inputSize } = network.options;
  const { name, arguments: ownArguments } = rules.architecture(network.options);
  const { classes, loss, calibration, decision } = description;
  const { mean, std } = imagePreparation(description);
  const files = writeExport(folder, model, rules, {
    architecture: name,
    arguments: { num_classes: classes.length, ...ownArguments },
    classes,
    preparation: {
      // Resized without keeping the aspect ratio.
      size: [inputSize, inputSize],
      interpolation: 'bilinear',
      mean: threeChannels(mean),
      std: threeChannels(std),
    },
    anyclass: { loss, calibration, decision },
  });
  return { folder, architecture: name, files };
}
