import { keep } from '../memory.js';
import { native } from '../native.js';
import { operator } from '../operator.js';
import { place, Tensor } from '../tensor.js';

const DETACH = operator('aten::detach');

/** A tensor that a module learns. It belongs to its module, not to the `tidy` that it was made in. */
export class Parameter extends Tensor {
  constructor(data: Tensor, requiresGrad = true) {
    super(native.call(DETACH, place(data, 'Parameter')));
    keep(this);
    this.requiresGrad = requiresGrad;
  }
}
