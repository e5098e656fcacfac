// Layers, and the modules that contain them.

export * from './activations.js';
export { MultiheadAttention, type MultiheadAttentionOptions } from './attention.js';
export * from './batchNorm.js';
export { Conv2d, type Conv2dOptions, type Size2d } from './conv.js';
export * from './dropout.js';
export * from './embedding.js';
export * as functional from './functional.js';
export * as init from './init.js';
export * from './layerNorm.js';
export { Linear, type LinearOptions } from './linear.js';
export { type Layer, Module, type StateDict } from './module.js';
export { Parameter } from './parameter.js';
export * from './pooling.js';
export { Sequential } from './sequential.js';
