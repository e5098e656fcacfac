import type { OnnxExport } from './onnx/exportOnnx.js';

/** Limit on the error relative to the largest logit: float32 stays below it, float16 and int8 do not. */
const exactness = 1e-4;

/**
 * Says whether an exported model matches libtorch, and what a lower precision costs. `export` prints this
 * first.
 *
 * @example
 * exportVerdict('sewer.onnx', { check, judgment: undefined })
 * // 'sewer.onnx matches libtorch: checked in onnxruntime, logits differ by at most 2.1e-7 of the largest.'
 */
export function exportVerdict(
  subject: string,
  { check, judgment }: Pick<OnnxExport, 'check' | 'judgment'>,
): string {
  const sentences = [`${subject} was not checked against libtorch.`];
  if (check) {
    const share = check.largestLogit === 0 ? 0 : check.largestError / check.largestLogit;
    const relation = share <= exactness ? 'matches' : 'is close to';
    sentences[0] = `${subject} ${relation} libtorch: checked in onnxruntime, logits differ by at most ${share.toExponential(1)} of the largest.`;
  }
  if (judgment) {
    const [now, before] = [judgment.mAP, judgment.float32].map((mAP) => (100 * mAP).toFixed(2));
    sentences.push(`On ${judgment.images} validation instances, mAP is ${now} (${before} in float32).`);
  }
  return sentences.join(' ');
}
