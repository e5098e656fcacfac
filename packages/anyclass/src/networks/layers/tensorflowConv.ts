import { nn, type Tensor } from '@anyclass/torch';

/**
 * A convolution that pads as TensorFlow does: just enough that a map of n cells becomes ⌈n / stride⌉, and where that is uneven, the extra
 * cell comes last. With a stride of 2, even maps are padded at one side only.
 *
 * @example
 * new TensorflowConv(3, 8, { kernel: 3, stride: 2 }).forward(zeros([1, 3, 32, 32])).shape // [1, 8, 16, 16]
 */
export class TensorflowConv extends nn.Conv2d {
  readonly #kernel: number;
  readonly #stride: number;

  constructor(inputs: number, outputs: number, options: nn.Conv2dOptions) {
    super(inputs, outputs, { ...options, padding: 0 });
    const { kernel, stride = 1 } = options;
    if (typeof kernel !== 'number' || typeof stride !== 'number')
      throw new RangeError('TensorflowConv: kernel and stride are numbers');
    this.#kernel = kernel;
    this.#stride = stride;
  }

  override forward(input: Tensor): Tensor {
    const [, , height = 0, width = 0] = input.shape;
    return super.forward(nn.functional.pad(input, [...this.#around(width), ...this.#around(height)]));
  }

  #around(cells: number): [number, number] {
    const covered = (Math.ceil(cells / this.#stride) - 1) * this.#stride + this.#kernel;
    const total = Math.max(0, covered - cells);
    return [Math.floor(total / 2), Math.ceil(total / 2)];
  }
}
