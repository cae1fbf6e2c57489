import type { Argument, InputSpec } from '../../electron/contract/manifest'

/**
 * Differentiable operators of libtorch by family, each with a call that exercises it. A name with a
 * dot says the overload. Inputs are drawn away from kinks where the operator has some.
 */
export interface OperatorCase {
  op: string
  args: Argument[]
  inputs: Record<string, InputSpec>
}

const base = { dtype: 'float64', device: 'cpu', requires_grad: true } as const

function normal(shape: number[], seed: number, more: Partial<InputSpec> = {}): InputSpec {
  return { ...base, shape, distribution: 'randn', seed, ...more }
}

/** Uniform in [low, high). */
function between(low: number, high: number, shape: number[], seed: number): InputSpec {
  return { ...base, shape, distribution: 'rand', low, high, seed }
}

function literal(
  values: NonNullable<InputSpec['values']>,
  more: Partial<InputSpec> = {},
): InputSpec {
  return { ...base, distribution: 'zeros', values, ...more }
}

const complex = { dtype: 'complex128' } as const
const index = (values: NonNullable<InputSpec['values']>): InputSpec =>
  literal(values, { dtype: 'int64', requires_grad: false })

const x = normal([2, 3], 1)
const y = normal([2, 3], 2)
const z = normal([2, 3], 3)
const row = normal([3], 4)
const positive = between(0.5, 2, [2, 3], 5)
const unit = between(-0.8, 0.8, [2, 3], 6)
const square = normal([3, 3], 7)
const batch = normal([2, 3, 3], 8)
const symmetric = literal([
  [4, 1, 0.5],
  [1, 3, 0.25],
  [0.5, 0.25, 2],
])
const image = normal([1, 2, 5, 5], 9)
const signal = normal([1, 2, 6], 10)

const pointwise = (op: string, input: InputSpec = x, ...rest: Argument[]): OperatorCase => ({
  op: `aten::${op}`,
  args: ['x', ...rest],
  inputs: { x: input },
})
const binary = (op: string, left = x, right = y, ...rest: Argument[]): OperatorCase => ({
  op: `aten::${op}`,
  args: ['x', 'y', ...rest],
  inputs: { x: left, y: right },
})
const ternary = (op: string, a: InputSpec, b: InputSpec, c: InputSpec, ...rest: Argument[]) => ({
  op: `aten::${op}`,
  args: ['x', 'y', 'z', ...rest],
  inputs: { x: a, y: b, z: c },
})

export const operatorCases: Record<string, OperatorCase[]> = {
  pointwise: [
    'sigmoid',
    'tanh',
    'sin',
    'cos',
    'exp',
    'expm1',
    'sinh',
    'cosh',
    'atan',
    'asinh',
    'erf',
    'erfc',
    'abs',
    'neg',
    'square',
    'relu',
    'silu',
    'mish',
    'selu',
    'hardtanh',
    'hardswish',
    'softplus',
    'log_sigmoid',
    'sinc',
    'frac',
    'trunc',
    'sign',
    'floor',
    'deg2rad',
    'hardsigmoid',
    'special_i0e',
    'special_i1',
    'special_ndtr',
    'special_erfcx',
    'relu6',
    'celu',
    'exp2',
  ]
    .map((op) => pointwise(op))
    .concat(
      ['log', 'log2', 'log10', 'log1p', 'sqrt', 'rsqrt', 'reciprocal', 'lgamma', 'digamma'].map(
        (op) => pointwise(op, positive),
      ),
      ['asin', 'acos', 'atanh', 'erfinv', 'tan'].map((op) => pointwise(op, unit)),
      [
        pointwise('acosh', between(1.5, 3, [2, 3], 11)),
        pointwise('pow.Tensor_Scalar', positive, 2.5),
        pointwise('clamp', x, -0.5, 0.5),
        pointwise('leaky_relu', x, 0.1),
        pointwise('elu', x, 1.5),
        pointwise('gelu', x),
        pointwise('threshold', x, 0.1, 3),
        pointwise('hardshrink', x, 0.3),
        pointwise('softshrink', x, 0.3),
        pointwise('nan_to_num', x),
        pointwise('polygamma', positive),
        pointwise('logit', between(0.1, 0.9, [2, 3], 12)),
        pointwise('mul.Scalar', x, 3),
        pointwise('glu', normal([2, 4], 13)),
      ].map((entry) => (entry.op === 'aten::polygamma' ? { ...entry, args: [1, 'x'] } : entry)),
      ['add.Tensor', 'sub.Tensor', 'mul.Tensor', 'maximum', 'fmin', 'hypot', 'atan2'].map((op) =>
        binary(op),
      ),
      [
        binary('div.Tensor', x, positive),
        binary('pow.Tensor_Tensor', positive, y),
        binary('xlogy.Tensor', x, positive),
        binary('logaddexp', x, y),
        binary('fmod.Tensor', x, positive),
        binary('copysign.Tensor', x, y),
        binary('add.Tensor', x, row),
        binary('mul.Tensor', normal([2, 1], 14), row),
        binary('prelu', x, between(0.1, 0.5, [3], 15)),
        ternary('lerp.Tensor', x, y, z),
        ternary('addcmul', x, y, z),
        ternary('addcdiv', x, y, positive),
        {
          op: 'aten::where.self',
          args: ['mask', 'x', 'y'],
          inputs: {
            mask: literal([[true, false, true]], { dtype: 'bool', requires_grad: false }),
            x,
            y,
          },
        },
      ],
    ),
  reductions: [
    pointwise('sum'),
    pointwise('sum.dim_IntList', x, [1], true),
    pointwise('mean.dim', x, [0]),
    pointwise('prod'),
    pointwise('prod.dim_int', x, 1),
    pointwise('var.correction', x, [1]),
    pointwise('std.correction', x, [0]),
    pointwise('max'),
    pointwise('max.dim', x, 1),
    pointwise('min.dim', x, 0),
    pointwise('amax', x, [1]),
    pointwise('amin', x, [0]),
    pointwise('median.dim', x, 1),
    pointwise('mode', x, 1),
    pointwise('kthvalue', x, 2, 1),
    pointwise('norm.ScalarOpt_dim', x, 3, [1]),
    pointwise('linalg_vector_norm', x, 2),
    pointwise('logsumexp', x, [1]),
    pointwise('cumsum', x, 1),
    pointwise('cumprod', x, 1),
    pointwise('cummax', x, 1),
    pointwise('logcumsumexp', x, 1),
    pointwise('softmax.int', x, 1),
    pointwise('log_softmax.int', x, 1),
    pointwise('softmax.int', batch, 1),
    pointwise('log_softmax.int', batch, 0),
    pointwise('nansum', x, [1]),
    pointwise('trace', square),
    pointwise('dist', x, 'y'),
  ].map((entry) => (entry.op === 'aten::dist' ? { ...entry, inputs: { x, y } } : entry)),
  'linear algebra': [
    binary('mm', x, normal([3, 2], 16)),
    binary('bmm', batch, normal([2, 3, 2], 17)),
    binary('matmul', batch, row),
    binary('mv', square, row),
    binary('dot', row, normal([3], 18)),
    binary('outer', row, normal([2], 19)),
    ternary('addmm', square, square, normal([3, 3], 20)),
    ternary('baddbmm', batch, batch, normal([2, 3, 3], 21)),
    ternary('linear', x, normal([4, 3], 22), normal([4], 23)),
    pointwise('linalg_inv', symmetric),
    pointwise('linalg_det', square),
    pointwise('linalg_slogdet', symmetric),
    pointwise('linalg_pinv', square, 1e-15),
    pointwise('linalg_matrix_power', square, 3),
    pointwise('linalg_matrix_exp', square),
    pointwise('linalg_eigvalsh', symmetric),
    pointwise('linalg_svdvals', square),
    pointwise('linalg_cholesky', symmetric),
    binary('linalg_solve', symmetric, normal([3, 2], 24)),
    binary('kron', normal([2, 2], 25), normal([2, 1], 26)),
    binary('linalg_cross', x, y),
    pointwise('tril', square),
    pointwise('triu', square, 1),
    {
      op: 'aten::einsum',
      args: ['ij,jk->ik', ['x', 'y']],
      inputs: { x, y: normal([3, 2], 27) },
    },
    { op: 'aten::chain_matmul', args: [['x', 'y']], inputs: { x, y: normal([3, 2], 28) } },
  ],
  indexing: [
    {
      op: 'aten::gather',
      args: ['x', 1, 'i'],
      inputs: {
        x,
        i: index([
          [0, 2],
          [1, 1],
        ]),
      },
    },
    {
      op: 'aten::scatter_add',
      args: ['x', 1, 'i', 'y'],
      inputs: {
        x,
        i: index([
          [0, 2, 1],
          [1, 1, 0],
        ]),
        y,
      },
    },
    { op: 'aten::index_select', args: ['x', 1, 'i'], inputs: { x, i: index([2, 0, 2]) } },
    {
      op: 'aten::index_add',
      args: ['x', 1, 'i', 'y'],
      inputs: { x, i: index([2, 0, 2]), y },
    },
    { op: 'aten::take', args: ['x', 'i'], inputs: { x, i: index([0, 5, 2, 2]) } },
    { op: 'aten::embedding', args: ['x', 'i'], inputs: { x, i: index([1, 0, 1]) } },
    { op: 'aten::index.Tensor', args: ['x', ['i']], inputs: { x, i: index([1, 0, 1]) } },
    {
      op: 'aten::masked_fill.Scalar',
      args: ['x', 'mask', 2],
      inputs: { x, mask: literal([[true, false, true]], { dtype: 'bool', requires_grad: false }) },
    },
    {
      op: 'aten::masked_select',
      args: ['x', 'mask'],
      inputs: { x, mask: literal([[true, false, true]], { dtype: 'bool', requires_grad: false }) },
    },
    pointwise('select.int', x, 0, 1),
    pointwise('slice.Tensor', x, 1, 0, 3, 2),
    pointwise('narrow', x, 1, 0, 2),
    pointwise('sort', x, 1),
    pointwise('topk', x, 2, 1),
    pointwise('diagonal', square),
    pointwise('diag_embed', row),
  ],
  shape: [
    pointwise('reshape', x, [3, 2]),
    pointwise('view', x, [6]),
    pointwise('transpose.int', x, 0, 1),
    pointwise('permute', x, [1, 0]),
    pointwise('expand', row, [2, 3]),
    pointwise('repeat', x, [2, 1]),
    pointwise('unsqueeze', x, 1),
    pointwise('flip', x, [0, 1]),
    pointwise('roll', x, [1], [1]),
    pointwise('rot90', x),
    pointwise('unfold', normal([6], 29), 0, 3, 2),
    pointwise('as_strided', x, [2, 2], [1, 2]),
    pointwise('constant_pad_nd', x, [1, 2], 0.5),
    pointwise('reflection_pad1d', signal, [1, 2]),
    pointwise('replication_pad2d', image, [1, 1, 2, 0]),
    pointwise('pixel_shuffle', normal([1, 4, 2, 2], 30), 2),
    pointwise('unbind.int', x, 0),
    pointwise('split.Tensor', x, 2, 1),
    { op: 'aten::cat', args: [['x', 'y'], 1], inputs: { x, y } },
    { op: 'aten::stack', args: [['x', 'y']], inputs: { x, y } },
    pointwise('repeat_interleave.self_int', x, 2, 1),
    pointwise('clone', x),
  ],
  'layers and normalization': [
    ternary('conv1d', signal, normal([3, 2, 3], 31), normal([3], 32)),
    ternary('conv2d', image, normal([2, 2, 3, 3], 33), normal([2], 34), [1, 1], [1, 1]),
    ternary('conv_transpose2d.input', image, normal([2, 1, 2, 2], 35), normal([1], 36)),
    {
      op: 'aten::layer_norm',
      args: ['x', [3], 'y', 'z'],
      inputs: { x, y: row, z: normal([3], 37) },
    },
    {
      op: 'aten::group_norm',
      args: ['x', 2, 'y', 'z'],
      inputs: { x: normal([2, 4, 3], 38), y: normal([4], 39), z: normal([4], 40) },
    },
    {
      op: 'aten::batch_norm',
      args: ['x', 'y', 'z', null, null, true, 0.1, 1e-5, false],
      inputs: { x: normal([4, 3], 41), y: row, z: normal([3], 42) },
    },
    {
      op: 'aten::layer_norm',
      args: ['x', [2, 3], null, null],
      inputs: { x: normal([2, 2, 3], 80) },
    },
    {
      op: 'aten::layer_norm',
      args: ['x', [3], 'y'],
      inputs: { x: normal([3], 81), y: row },
    },
    {
      op: 'aten::batch_norm',
      args: ['x', null, null, 'mean', 'var', false, 0.1, 1e-3, false],
      inputs: {
        x: normal([2, 3, 2], 82),
        mean: normal([3], 83, { requires_grad: false }),
        var: { ...between(0.5, 2, [3], 84), requires_grad: false },
      },
    },
    {
      op: 'aten::batch_norm',
      args: ['x', 'y', null, null, null, true, 0.1, 0.1, false],
      inputs: { x: normal([2, 3, 2, 2], 85), y: row },
    },
    pointwise('avg_pool2d', image, [2, 2]),
    pointwise('max_pool2d', image, [2, 2]),
    pointwise('adaptive_avg_pool2d', image, [2, 2]),
    pointwise('upsample_bilinear2d', image, [7, 7], false),
    pointwise('upsample_nearest2d', image, [7, 7]),
    binary('grid_sampler_2d', image, between(-0.9, 0.9, [1, 3, 3, 2], 43), 0, 0, false),
    binary('rms_norm', x, row),
    binary('cosine_similarity', x, y),
    ternary(
      'scaled_dot_product_attention',
      normal([1, 3, 4], 44),
      normal([1, 3, 4], 45),
      normal([1, 3, 4], 46),
    ),
    ternary('bilinear', x, normal([2, 2], 47), normal([2, 3, 2], 48)),
  ].map((entry) => (entry.op === 'aten::rms_norm' ? { ...entry, args: ['x', [3], 'y'] } : entry)),
  losses: [
    binary('mse_loss', x, y),
    binary('l1_loss', x, y),
    binary('smooth_l1_loss', x, y),
    binary('huber_loss', x, y),
    binary('kl_div', x, positive),
    binary('binary_cross_entropy', between(0.1, 0.9, [2, 3], 49), between(0.1, 0.9, [2, 3], 50)),
    binary('binary_cross_entropy_with_logits', x, between(0.1, 0.9, [2, 3], 51)),
    binary('soft_margin_loss', x, y),
    {
      op: 'aten::nll_loss_nd',
      args: ['x', 'i'],
      inputs: { x, i: index([2, 0]) },
    },
    {
      op: 'aten::nll_loss_nd',
      args: ['x', 'i', 'w', 0, 1],
      inputs: {
        x: normal([4, 3], 90),
        i: index([2, 1, 0, 2]),
        w: { ...between(0.5, 2, [3], 91), requires_grad: false },
      },
    },
    {
      op: 'aten::nll_loss_nd',
      args: ['x', 'i', 'w', 1, 1],
      inputs: {
        x: normal([1, 3, 2, 2], 92),
        i: index([
          [
            [0, 1],
            [2, 2],
          ],
        ]),
        w: { ...between(0.5, 2, [3], 93), requires_grad: false },
      },
    },
    {
      op: 'aten::nll_loss_nd',
      args: ['x', 'i', null, 2],
      inputs: { x: row, i: index(1) },
    },
    {
      op: 'aten::cross_entropy_loss',
      args: ['x', 'i'],
      inputs: { x, i: index([2, 0]) },
    },
    ternary(
      'margin_ranking_loss',
      row,
      normal([3], 52),
      literal([1, -1, 1], { requires_grad: false }),
    ),
    ternary('triplet_margin_loss', x, y, z),
  ],
  complex: [
    pointwise('mul.Scalar', normal([2], 53, complex), 2),
    pointwise('exp', normal([2], 54, complex)),
    pointwise('abs', normal([2], 55, complex)),
    pointwise('angle', normal([2], 56, complex)),
    pointwise('conj', normal([2], 57, complex)),
    pointwise('real', normal([2], 58, complex)),
    pointwise('imag', normal([2], 59, complex)),
    pointwise('view_as_real', normal([2], 60, complex)),
    pointwise('sin', normal([2], 61, complex)),
    pointwise('sgn', normal([2], 62, complex)),
    binary('mul.Tensor', normal([2], 63, complex), normal([2], 64, complex)),
    binary('div.Tensor', normal([2], 65, complex), normal([2], 66, complex)),
    binary('mm', normal([2, 2], 67, complex), normal([2, 2], 68, complex)),
    binary('complex', row, normal([3], 69)),
    pointwise('fft_fft', normal([4], 70, complex)),
    pointwise('fft_rfft', normal([4], 71)),
    pointwise('fft_irfft', normal([3], 72, complex)),
    pointwise('linalg_inv', normal([2, 2], 73, complex)),
    pointwise('sum', normal([2, 2], 74, complex)),
  ],
  'hard cases': [
    // At a kink, in float32, with a step that is too small, without gradients.
    pointwise('abs', literal([0, 1, -2])),
    pointwise('relu', literal([0, 1, -2])),
    pointwise('sigmoid', normal([4], 75, { dtype: 'float32' })),
    pointwise('sigmoid', normal([4], 76, { requires_grad: false })),
    pointwise('round', literal([0.5, 1.2])),
    // Random ones: of a hundred draws, never twice the same.
    pointwise('bernoulli', between(0.2, 0.8, [100], 77)),
    pointwise('sqrt', literal([0, 1])),
    pointwise('sum', normal([0], 78)),
    pointwise('sigmoid', normal([], 79)),
    pointwise('expand', row, [2, 3]),
    pointwise('dropout', normal([100], 1), 0.5, true),
    pointwise('log', literal([-1, 2])),
  ],
}
