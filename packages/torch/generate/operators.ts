// The operators that the typed API offers. Each function lists the operator, its overloads from libtorch's schemas (the
// first determines the calling form), and the TypeScript name if it differs from the rule in `typescriptName`.

export interface Choice {
  readonly operator: string;
  readonly overloads: readonly string[];
  readonly name?: string;
  /** Schema of an operator that libtorch 1.13 does not have; check for it with `hasOperator`. */
  readonly optionalSchema?: string;
}

const plain = (...names: readonly string[]): Choice[] =>
  names.map((operator) => ({ operator, overloads: [''] }));
const withOverloads = (overloads: readonly string[], ...names: readonly string[]): Choice[] =>
  names.map((operator) => ({ operator, overloads }));
const named = (name: string, operator: string, overload: string): Choice => ({
  operator,
  overloads: [overload],
  name,
});
const optional = (name: string, optionalSchema: string): Choice => {
  const [operator = '', overload = ''] = optionalSchema
    .slice('aten::'.length, optionalSchema.indexOf('('))
    .split('.');
  return { operator, overloads: [overload], name, optionalSchema };
};

/** Functions that are also methods of Tensor, which is then the first argument. */
export const methods: readonly Choice[] = [
  ...withOverloads(
    ['Tensor', 'Scalar'],
    'add',
    'sub',
    'mul',
    'div',
    'remainder',
    'eq',
    'ne',
    'lt',
    'le',
    'gt',
    'ge',
  ),
  ...withOverloads(['Tensor', 'Scalar'], 'add_', 'sub_', 'mul_', 'div_', 'fill_'),
  { operator: 'floor_divide', overloads: ['', 'Scalar'] },
  ...withOverloads(['Tensor_Tensor', 'Tensor_Scalar'], 'pow'),
  ...plain('clamp', 'clamp_'),
  ...withOverloads(['Tensor', 'Scalar'], 'masked_fill', 'masked_fill_'),
  ...plain(
    'abs',
    'neg',
    'sign',
    'exp',
    'expm1',
    'log',
    'log1p',
    'log2',
    'sqrt',
    'rsqrt',
    'reciprocal',
    'square',
  ),
  ...plain(
    'sin',
    'cos',
    'atan',
    'floor',
    'ceil',
    'round',
    'trunc',
    'erf',
    'erfinv',
    'isnan',
    'isinf',
    'isfinite',
  ),
  ...plain('sigmoid', 'tanh', 'relu', 'relu_', 'logical_not', 'logical_and', 'logical_or', 'logical_xor'),
  ...plain('neg_', 'exp_', 'sqrt_', 'reciprocal_', 'zero_', 'maximum', 'minimum', 'nan_to_num', 'lgamma'),
  ...plain('matmul', 'mm', 'bmm', 'dot', 'addmm', 'baddbmm', 'outer'),
  ...plain('addcmul', 'addcmul_', 'addcdiv', 'addcdiv_'),
  ...withOverloads(['Tensor', 'Scalar'], 'lerp', 'lerp_'),
  named('sum', 'sum', 'dim_IntList'),
  named('mean', 'mean', 'dim'),
  ...plain('amax', 'amin', 'aminmax', 'argmax', 'argmin', 'cumsum', 'logsumexp', 'prod', 'median'),
  named('variance', 'var', 'correction'),
  named('standardDeviation', 'std', 'correction'),
  named('norm', 'norm', 'ScalarOpt_dim'),
  named('all', 'all', ''),
  named('any', 'any', ''),
  named('allAlong', 'all', 'dim'),
  named('anyAlong', 'any', 'dim'),
  named('maxAlong', 'max', 'dim'),
  named('minAlong', 'min', 'dim'),
  named('softmax', 'softmax', 'int'),
  named('logSoftmax', 'log_softmax', 'int'),
  ...plain('topk', 'argsort', 'bincount', 'nonzero', 'equal'),
  named('sort', 'sort', 'stable'),
  named('searchsorted', 'searchsorted', 'Tensor'),
  ...plain(
    'view',
    'reshape',
    'permute',
    'expand',
    'repeat',
    'unsqueeze',
    'roll',
    'flip',
    'tril',
    'triu',
    'narrow',
    'unfold',
  ),
  named('transpose', 'transpose', 'int'),
  named('squeeze', 'squeeze', 'dim'),
  named('flatten', 'flatten', 'using_ints'),
  named('select', 'select', 'int'),
  named('slice', 'slice', 'Tensor'),
  named('diagonal', 'diagonal', ''),
  named('repeatInterleave', 'repeat_interleave', 'self_int'),
  { operator: 'split', overloads: ['Tensor', 'sizes'] },
  ...plain('chunk', 'index_select', 'gather', 'masked_select', 'index_put_', 'index_add_', 'index_copy_'),
  named('index', 'index', 'Tensor'),
  named('scatter', 'scatter', 'src'),
  named('scatterAdd', 'scatter_add', ''),
  named('unbind', 'unbind', 'int'),
  ...plain('clone', 'detach', 'contiguous', 'copy_', 'view_as', 'expand_as', 'type_as'),
  ...plain('uniform_', 'normal_', 'exponential_'),
  named('bernoulli_', 'bernoulli_', 'float'),
  named('randomInteger_', 'random_', 'from'),
];

/** Functions that read better as functions. */
export const functions: readonly Choice[] = [
  ...plain('cat', 'stack', 'einsum', 'eye', 'randn', 'rand', 'zeros', 'ones', 'full', 'randperm', 'linspace'),
  named('arange', 'arange', 'start_step'),
  named('empty', 'empty', 'memory_format'),
  named('randint', 'randint', 'low'),
  ...plain('zeros_like', 'ones_like', 'empty_like', 'full_like', 'rand_like', 'randn_like', 'bernoulli'),
  named('toDtypeLayout', 'to', 'dtype_layout'),
  { operator: 'where', overloads: ['self', 'ScalarOther'] },
  named('multinomial', 'multinomial', ''),
  ...plain('linear', 'conv2d', 'batch_norm', 'layer_norm', 'group_norm', 'embedding', 'dropout', 'bilinear'),
  named('cudnnConvolutionAddRelu', 'cudnn_convolution_add_relu', ''),
  named('addmmActivation', '_addmm_activation', ''),
  ...plain('max_pool2d', 'avg_pool2d', 'adaptive_avg_pool2d', 'adaptive_max_pool2d', 'pad'),
  ...plain(
    'gelu',
    'silu',
    'leaky_relu',
    'leaky_relu_',
    'elu',
    'softplus',
    'log_sigmoid',
    'hardtanh',
    'silu_',
  ),
  ...plain('hardswish', 'hardswish_', 'hardsigmoid', 'mish', 'prelu'),
  ...plain('cross_entropy_loss', 'binary_cross_entropy_with_logits', 'mse_loss', 'l1_loss', 'smooth_l1_loss'),
  ...plain('pixel_shuffle', 'pixel_unshuffle', 'one_hot', 'grid_sampler', 'affine_grid_generator'),
  named('upsampleBicubic2d', 'upsample_bicubic2d', ''),
  named('upsampleBilinear2d', 'upsample_bilinear2d', ''),
  named('upsampleNearest2d', 'upsample_nearest2d', ''),
  named('foreachAddList_', '_foreach_add_', 'List'),
  named('foreachAddScalar_', '_foreach_add_', 'Scalar'),
  named('foreachMulScalar_', '_foreach_mul_', 'Scalar'),
  named('foreachMulList_', '_foreach_mul_', 'List'),
  named('foreachDivList_', '_foreach_div_', 'List'),
  named('foreachAddcmul_', '_foreach_addcmul_', 'Scalar'),
  named('foreachAddcdiv_', '_foreach_addcdiv_', 'Scalar'),
  named('foreachSqrt_', '_foreach_sqrt_', ''),
  named('foreachDivScalar_', '_foreach_div_', 'Scalar'),
  named('foreachNorm', '_foreach_norm', 'Scalar'),
  named('ampForeachUnscale_', '_amp_foreach_non_finite_check_and_unscale_', ''),
  named('ampUpdateScale_', '_amp_update_scale_', ''),
  optional(
    'efficientAttention',
    'aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)',
  ),
  optional('foreachMulTensor_', 'aten::_foreach_mul_.Tensor(Tensor(a!)[] self, Tensor other) -> ()'),
  optional(
    'scaledDotProductAttention',
    'aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor',
  ),
  optional(
    'fusedSgd_',
    'aten::_fused_sgd_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()',
  ),
  optional(
    'fusedAdamW_',
    'aten::_fused_adamw_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()',
  ),
];

export const allChoices: readonly Choice[] = [...methods, ...functions];

/** Values for omitted arguments that libtorch declares optional but then requires. */
export const fallbacks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sort: { stable: 'false' },
};

/** Functions that src/guards.ts checks before a call, and the parameters that each guard receives. */
export const guarded: Readonly<Record<string, readonly string[]>> = {
  chunk: ['chunks'],
  conv2d: ['groups'],
  indexSelect: ['self', 'index'],
  pixelShuffle: ['upscaleFactor'],
  randomInteger_: ['from', 'to'],
  searchsorted: ['sortedSequence', 'options'],
  split: ['self', 'splitSize', 'dim'],
  unbind: ['self', 'dim'],
  upsampleBicubic2d: ['self', 'outputSize', 'scalesH', 'scalesW'],
  upsampleBilinear2d: ['self', 'outputSize', 'scalesH', 'scalesW'],
  upsampleNearest2d: ['self', 'outputSize', 'scalesH', 'scalesW'],
};
