import { native } from '../native/native.js';
import { Operator } from '../native/operator.js';
import { place } from '../tensor/handle.js';
import { keep } from '../tensor/memory.js';
import { Tensor } from '../tensor/tensor.js';

const DETACH = new Operator('aten::detach');

/** A tensor that a module learns. It belongs to its module, not to the `tidy` that it was made in. */
export class Parameter extends Tensor {
  constructor(data: Tensor, requiresGrad = true) {
    super(native.call(DETACH.number, place(data, 'Parameter')));
    keep(this);
    this.requiresGrad = requiresGrad;
  }
}
