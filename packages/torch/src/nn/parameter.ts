import { keep } from '../memory.js';
import { detach } from '../operators.generated.js';
import { Tensor } from '../tensor.js';

/** A tensor that a module learns. It belongs to its module, not to the `tidy` that it was made in. */
export class Parameter extends Tensor {
  constructor(data: Tensor, requiresGrad = true) {
    const alias = detach(data);
    super(alias.place);
    // The alias was only a way to the place, which is now the parameter's own.
    alias.place = -1;
    alias.held = undefined;
    keep(this);
    this.requiresGrad = requiresGrad;
  }
}
