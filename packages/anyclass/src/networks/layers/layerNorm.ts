import { nn, type Tensor } from '@anyclass/torch';

/**
 * Layer norm in the precision of its weights, even if autocast changed the input's. On a GPU, autocast does the same; on
 * the CPU, libtorch 1.13 refuses mixed dtypes.
 *
 * @example
 * autocast(() => new LayerNorm(64).forward(tokens)).dtype // 'float32'
 */
export class LayerNorm extends nn.LayerNorm {
  override forward(input: Tensor): Tensor {
    return super.forward(input.to(this.weight?.dtype ?? input.dtype));
  }
}
