// Calls to functions that make, rearrange or select elements, and to those on lists of tensors.

import {
  checkered,
  constant,
  discrete,
  each,
  eachDiscrete,
  integers,
  type OperatorExample,
  smooth,
  t,
} from './example.js';

export const shapes: readonly OperatorExample[] = [
  ...each(['view', 'reshape'], t(2, 6), [3, 4]),
  ...each(['clone', 'contiguous'], t(2, 3), {}),
  smooth('permute', t(2, 3, 2), [2, 0, 1]),
  smooth('expand', t(2, 1), [3, 2, 4]),
  smooth('repeat', t(2, 3), [2, 1, 2]),
  smooth('unsqueeze', t(2, 3), 1),
  smooth('roll', t(2, 3), [1, -1], [0, 1]),
  smooth('flip', t(2, 3), [0, 1]),
  ...each(['tril', 'triu'], t(3, 3), -1),
  smooth('narrow', t(2, 5), 1, 1, 3),
  smooth('unfold', t(2, 6), 1, 3, 2),
  smooth('transpose', t(2, 3), 0, 1),
  smooth('squeeze', t(2, 1, 3), 1),
  smooth('flatten', t(2, 3, 2), 1, 2),
  smooth('select', t(2, 3), 1, -1),
  smooth('slice', t(2, 6), 1, 1, 6, 2),
  smooth('diagonal', t(3, 4), 1, 0, 1),
  smooth('repeatInterleave', t(2, 3), 2, 1),
  smooth('split', t(5, 2), 2, 0),
  smooth('split', t(5, 2), [1, 4], 0),
  smooth('chunk', t(5, 2), 2, 0),
  smooth('unbind', t(2, 3), 0),
  ...each(['viewAs', 'expandAs', 'typeAs'], t(2, 3), constant([2, 3], [1, 2, 3, 4, 5, 6])),
  smooth('cat', [t(2, 3), t(1, 3)], 0),
  smooth('stack', [t(2, 3), t(2, 3)], 1),
  discrete('detach', t(2, 3)),
  smooth('copy_', t(2, 3), t(3)),
  smooth('toDtypeLayout', t(2, 3, 2, 2), { copy: true, memoryFormat: 'channelsLast' }),
];

const positions = integers([2], [2, 0]);

export const indexing: readonly OperatorExample[] = [
  smooth('indexSelect', t(3, 2), 0, positions),
  smooth('gather', t(3, 2), 0, integers([1, 2], [2, 1])),
  smooth('maskedSelect', t(2, 3), checkered),
  smooth('indexPut_', t(3, 2), [positions], t(2, 2), true),
  smooth('indexPut_', t(3, 2), [positions, null], t(2)),
  smooth('indexAdd_', t(3, 2), 0, positions, t(2, 2), { alpha: 2 }),
  smooth('indexCopy_', t(3, 2), 0, positions, t(2, 2)),
  smooth('index', t(3, 2), [null, integers([2], [1, 0])]),
  smooth('scatter', t(3, 2), 0, integers([1, 2], [2, 1]), t(1, 2)),
  smooth('scatterAdd', t(3, 2), 0, integers([2, 2], [2, 1, 2, 0]), t(2, 2)),
  smooth('embedding', t(4, 3), integers([2, 2], [0, 3, 3, 1]), -1, false, false),
  discrete('oneHot', integers([3], [0, 2, 1]), 4),
];

export const factories: readonly OperatorExample[] = [
  ...eachDiscrete(['uniform_', 'normal_'], constant([4], [0, 0, 0, 0]), 0, 2),
  discrete('exponential_', constant([4], [0, 0, 0, 0]), 1.5),
  discrete('bernoulli_', constant([4], [0, 0, 0, 0]), 0.3),
  discrete('randomInteger_', constant([4], [0, 0, 0, 0]), 2, 7),
  discrete('bernoulli', constant([3], [0, 0.5, 1])),
  discrete('multinomial', constant([3], [0.2, 0.5, 1]), 2, false),
  discrete('eye', 3, { dtype: 'float32' }),
  ...eachDiscrete(['randn', 'rand', 'zeros', 'ones', 'empty'], [2, 3], { dtype: 'float32' }),
  discrete('full', [2, 3], 1.5, { dtype: 'float32' }),
  discrete('randperm', 5, { dtype: 'int64' }),
  discrete('linspace', 0, 1, 5, { dtype: 'float32' }),
  discrete('arange', 0, 5, 2, { dtype: 'float32' }),
  discrete('randint', 0, 5, [2, 3], { dtype: 'int64' }),
  ...eachDiscrete(['zerosLike', 'onesLike', 'emptyLike', 'randLike', 'randnLike'], t(2, 3), {
    dtype: 'float32',
  }),
  discrete('fullLike', t(2, 3), 2, { dtype: 'float32' }),
];

const pair = [t(2, 3), t(4)];
const constants = [constant([2], [1, 2]), constant([3], [4, 5, 6])];

export const lists: readonly OperatorExample[] = [
  discrete('foreachNorm', pair, 2),
  discrete('foreachAddList_', constants, constants, { alpha: 2 }),
  discrete('foreachAddcmul_', constants, constants, constants, 0.5),
  discrete('foreachAddcdiv_', constants, constants, constants, 0.5),
  ...eachDiscrete(['foreachMulList_', 'foreachDivList_'], constants, constants),
  ...eachDiscrete(['foreachAddScalar_', 'foreachMulScalar_', 'foreachDivScalar_'], constants, 2),
  ...eachDiscrete(['foreachSqrt_'], constants),
];
