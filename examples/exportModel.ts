// Exports a trained model to ONNX and predicts with the file, which needs no libtorch.
//
//   node examples/dist/exportModel.js runs/sewer sewer.onnx photo.jpg

import { exportOnnx, openPredictor } from 'anyclass';

const [model = 'runs/demo/any-bce', out = 'model.onnx', photo] = process.argv.slice(2);

const { bytes, check } = await exportOnnx(model, { out });
console.log(`${out}: ${(bytes / 1e6).toFixed(1)} MB, ${check ? 'checked against libtorch' : 'not checked'}`);

if (photo !== undefined) {
  using predictor = await openPredictor(out);
  const { labels, presence } = await predictor.predictOne(photo);
  console.log(
    `${photo}: ${labels.join(', ') || 'negative'} (p(any class) ${presence.probability.toFixed(3)})`,
  );
}
