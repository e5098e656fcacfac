// Predicts the classes of images (files, folders or patterns) with a trained model.
//
//   node examples/dist/predictImages.js runs/demo/any-bce photos

import { imageInputs, openPredictor } from 'anyclass';

const [model = 'runs/demo/any-bce', ...paths] = process.argv.slice(2);

using predictor = await openPredictor(model, { batchSize: 32 });
const { classes } = predictor.description;

for await (const prediction of predictor.predict(imageInputs(paths))) {
  if ('failure' in prediction) {
    console.error(`${prediction.name}: ${prediction.failure}`);
    continue;
  }
  const sure = classes
    .map((name, j) => ({ name, probability: prediction.probabilities[j]! }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, 3)
    .map(({ name, probability }) => `${name} ${(100 * probability).toFixed(1)}%`);
  console.log(`${prediction.name}: ${prediction.labels.join(', ') || 'negative'} (${sure.join(', ')})`);
}
