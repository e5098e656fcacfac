export type { CompleteNetworkOptions, NetworkOptions } from './catalog.js';
export {
  isNetworkName,
  type NetworkCost,
  type NetworkName,
  networkCost,
  networkDefinitions,
  networkNames,
  networkSizes,
  networkStride,
} from './catalog.js';
export { createNetwork } from './createNetwork.js';
export type {
  ForeignNetwork,
  NamingConvention,
  NetworkDefinition,
  TrunkCost,
  WeightRules,
} from './definition.js';
export { foldBatchNorm } from './foldBatchNorm.js';
export {
  ActivatedBatchNorm,
  type ActivatedBatchNormOptions,
  type Activation,
} from './layers/activatedBatchNorm.js';
export { DepthwiseConv } from './layers/depthwiseConv.js';
export { LayerNorm } from './layers/layerNorm.js';
export { residualNorm } from './layers/residualNorm.js';
export { moveNetwork } from './moveNetwork.js';
export { countMultiplyAdds } from './multiplyAdds.js';
export { Network } from './network.js';
export { type LayerCall, type LayerWatch, watchLayers } from './watchLayers.js';
