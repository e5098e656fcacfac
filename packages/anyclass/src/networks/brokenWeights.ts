import { type nn, noGrad, stack, tidy } from '@anyclass/torch';
import { listed } from '../errors/listed.js';
import { UserError } from '../errors/userError.js';

/** The names of parameters and statistics with values that are NaN or infinite. */
export function brokenWeights(network: Pick<nn.Module, 'stateDict'>): string[] {
  return tidy(() =>
    noGrad(() => {
      const named = [...network.stateDict()].filter(([, tensor]) => tensor.dtype !== 'int64');
      if (named.length === 0) return [];
      const finite = stack(named.map(([, tensor]) => tensor.isfinite().all()));
      if (finite.all().toNumber() === 1) return [];
      return named.flatMap(([name, tensor]) => (tensor.isfinite().all().toNumber() === 1 ? [] : [name]));
    }),
  );
}

/**
 * Refuses a network whose predictions would mean nothing.
 *
 * @throws UserError that names the tensors
 *
 * @example
 * refuseBrokenWeights(network, 'model.safetensors');
 */
export function refuseBrokenWeights(network: Pick<nn.Module, 'stateDict'>, source: string): void {
  const broken = brokenWeights(network);
  if (broken.length === 0) return;
  throw new UserError(
    `${source} has weights that are NaN or infinite: ${listed(broken)}; use another file, or train again with a lower learning rate`,
  );
}
