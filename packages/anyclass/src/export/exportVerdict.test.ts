import { expect, test } from 'vitest';
import { exportVerdict } from './exportVerdict.js';

const check = { largestError: 4e-6, largestLogit: 8, batchSizes: [1, 4] };

test('a checked file matches libtorch, with the largest difference relative to the largest logit', () => {
  expect(exportVerdict('sewer.onnx', { check, judgment: undefined })).toBe(
    'sewer.onnx matches libtorch: checked in onnxruntime, logits differ by at most 5.0e-7 of the largest.',
  );
});

test('the difference of logits that are all 0 is 0', () => {
  const blank = { ...check, largestError: 0, largestLogit: 0 };
  expect(exportVerdict('blank.onnx', { check: blank, judgment: undefined })).toContain('at most 0.0e+0');
});

test('a file that could not be run is called unchecked, not matching', () => {
  const verdict = exportVerdict('sewer.onnx', { check: undefined, judgment: undefined });
  expect(verdict).toBe('sewer.onnx was not checked against libtorch.');
});

test('a lower precision is close, and its mAP is shown with that of float32', () => {
  const rounded = { ...check, largestError: 0.4 };
  const judgment = { images: 2000, mAP: 0.65432, float32: 0.655 };
  expect(exportVerdict('The model in web', { check: rounded, judgment })).toBe(
    'The model in web is close to libtorch: checked in onnxruntime, logits differ by at most 5.0e-2 of the largest. On 2000 validation instances, mAP is 65.43 (65.50 in float32).',
  );
});
