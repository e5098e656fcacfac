import { nn } from '@anyclass/torch';

/** Gives the convolutions of a trunk the weights that torchvision starts with: He et al.'s, by their outputs, and no bias. */
export function initializeConvolutions(trunk: nn.Module): void {
  for (const [, module] of trunk.namedModules()) {
    if (!(module instanceof nn.Conv2d)) continue;
    nn.init.kaimingNormal_(module.weight, { mode: 'fanOut', nonlinearity: 'relu' });
    if (module.bias) nn.init.constant_(module.bias, 0);
  }
}
