import type { Graph, GraphNode, GraphValue } from '../../electron/contract/graph'

/** Mulberry32: the same numbers everywhere. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A Float tensor's value, contiguous. */
export function tensorValue(name: string, shape: number[]): GraphValue {
  const strides: number[] = []
  let stride = 1
  for (const size of [...shape].reverse()) {
    strides.unshift(stride)
    stride *= size
  }
  return {
    name,
    type: `Float(${shape.join(', ')}, strides=[${strides.join(', ')}], requires_grad=0, device=cpu)`,
    tensor: { dtype: 'float32', shape, strides, device: 'cpu', requiresGrad: false },
  }
}

/** Writes a graph node by node: values are numbered as PyTorch numbers them. */
export class GraphWriter {
  readonly inputs: GraphValue[] = []
  readonly nodes: GraphNode[] = []
  private next = 1
  scope: string[] = []

  input(name: string, shape: number[]): string {
    this.inputs.push(tensorValue(name, shape))
    return name
  }

  constant(value: number | boolean | null, type: string): string {
    return this.add('prim::Constant', [], [{ name: this.fresh(), type }], { value })
  }

  /** A list of integers, as the tracer writes it: constants and a ListConstruct. */
  integers(values: number[]): string {
    const parts = values.map((value) => this.constant(value, 'int'))
    return this.add('prim::ListConstruct', parts, [{ name: this.fresh(), type: 'int[]' }])
  }

  /** A node with one tensor; its name is the answer. */
  tensor(kind: string, inputs: string[], shape: number[], schema?: string): string {
    return this.add(kind, inputs, [tensorValue(this.fresh(), shape)], {}, schema)
  }

  add(
    kind: string,
    inputs: string[],
    outputs: GraphValue[],
    attributes: GraphNode['attributes'] = {},
    schema?: string,
  ): string {
    const id = this.nodes.length
    const node: GraphNode = { id, kind, inputs, outputs, attributes, lines: [id + 1, id + 1] }
    if (schema !== undefined) node.schema = schema
    if (this.scope.length > 0) node.scope = [...this.scope]
    this.nodes.push(node)
    return outputs[0]?.name ?? ''
  }

  within<T>(scope: string, body: () => T): T {
    this.scope.push(scope)
    const result = body()
    this.scope.pop()
    return result
  }

  fresh(): string {
    this.next += 1
    return String(this.next)
  }

  finish(name: string, outputs: string[]): Graph {
    return { name, form: 'trace', inputs: this.inputs, outputs, nodes: this.nodes }
  }
}

const operators = [
  'aten::relu',
  'aten::tanh',
  'aten::mul',
  'aten::add',
  'aten::matmul',
  'aten::sigmoid',
  'aten::cat',
  'aten::softmax',
]

/**
 * A random DAG with 1.5 edges a node: one edge from one of the 40 nodes before (as a program uses what
 * it has just computed), and for half of the nodes another; one of twenty reaches back any distance.
 */
export function syntheticGraph(count: number, seed = 1): Graph {
  const random = randomNumbers(seed)
  const writer = new GraphWriter()
  const names = [writer.input('x', [8, 16])]
  const pick = (): string => {
    const far = random() < 0.05
    const back = 1 + Math.floor(random() * (far ? names.length : Math.min(40, names.length)))
    return names[names.length - back] ?? 'x'
  }
  for (let index = 0; index < count; index += 1) {
    const inputs = [pick()]
    if (random() < 0.5) inputs.push(pick())
    const kind = operators[Math.floor(random() * operators.length)] ?? 'aten::relu'
    names.push(writer.tensor(kind, inputs, [8, 16]))
  }
  return writer.finish(`synthetic_${count}`, [names.at(-1) ?? 'x'])
}

const schemas = {
  convolution:
    'aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor',
  batchNorm:
    'aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor',
  add: 'aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor',
  linear: 'aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor',
  layerNorm:
    'aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor',
  softmax: 'aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor',
  transpose: 'aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)',
  view: 'aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)',
  maxPool:
    'aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor',
  div: 'aten::div.Scalar(Tensor self, Scalar other) -> Tensor',
}

/** torchvision's ResNet-50, traced: 16 bottlenecks, module scopes and parameters as the tracer leaves them. */
export function resnetGraph(): Graph {
  const writer = new GraphWriter()
  writer.inputs.push({ name: 'self.1', type: '__torch__.torchvision.models.resnet.ResNet' })
  const input = writer.input('x', [1, 3, 224, 224])
  const module = (parent: string, name: string): string =>
    writer.add(
      'prim::GetAttr',
      [parent],
      [{ name: writer.fresh(), type: '__torch__.torch.nn.Module' }],
      { name },
    )
  const parameter = (parent: string, name: string): string =>
    writer.add('prim::GetAttr', [parent], [{ name: writer.fresh(), type: 'Tensor' }], { name })
  const convolution = (
    self: string,
    name: string,
    x: string,
    shape: number[],
    kernel: number,
    stride: number,
  ): string =>
    writer.within(name, () => {
      const own = module(self, name)
      const weight = parameter(own, 'weight')
      const none = writer.constant(null, 'NoneType')
      const strides = writer.integers([stride, stride])
      const padding = writer.integers([kernel >> 1, kernel >> 1])
      const dilation = writer.integers([1, 1])
      const no = writer.constant(false, 'bool')
      const output = writer.integers([0, 0])
      const groups = writer.constant(1, 'int')
      const yes = writer.constant(true, 'bool')
      return writer.tensor(
        'aten::_convolution',
        [x, weight, none, strides, padding, dilation, no, output, groups, no, no, yes, yes],
        shape,
        schemas.convolution,
      )
    })
  const normalize = (self: string, name: string, x: string, shape: number[]): string =>
    writer.within(name, () => {
      const own = module(self, name)
      const parts = ['weight', 'bias', 'running_mean', 'running_var'].map((part) =>
        parameter(own, part),
      )
      const training = writer.constant(false, 'bool')
      const momentum = writer.constant(0.1, 'float')
      const eps = writer.constant(1e-5, 'float')
      const cudnn = writer.constant(true, 'bool')
      return writer.tensor(
        'aten::batch_norm',
        [x, ...parts, training, momentum, eps, cudnn],
        shape,
        schemas.batchNorm,
      )
    })
  const relu = (x: string, shape: number[]): string =>
    writer.within('relu', () =>
      writer.tensor('aten::relu_', [x], shape, 'aten::relu_(Tensor(a!) self) -> Tensor(a!)'),
    )

  let x = convolution('self.1', 'conv1', input, [1, 64, 112, 112], 7, 2)
  x = normalize('self.1', 'bn1', x, [1, 64, 112, 112])
  x = relu(x, [1, 64, 112, 112])
  x = writer.within('maxpool', () => {
    const kernel = writer.integers([3, 3])
    const stride = writer.integers([2, 2])
    const padding = writer.integers([1, 1])
    const dilation = writer.integers([1, 1])
    const ceil = writer.constant(false, 'bool')
    return writer.tensor(
      'aten::max_pool2d',
      [x, kernel, stride, padding, dilation, ceil],
      [1, 64, 56, 56],
      schemas.maxPool,
    )
  })
  let size = 56
  for (const [layer, blocks] of [3, 4, 6, 3].entries()) {
    const width = 64 << layer
    writer.within(`layer${layer + 1}`, () => {
      const self = module('self.1', `layer${layer + 1}`)
      for (let block = 0; block < blocks; block += 1) {
        const stride = block === 0 && layer > 0 ? 2 : 1
        x = writer.within(String(block), () => {
          const own = module(self, String(block))
          const before = [1, width, size, size]
          let y = convolution(own, 'conv1', x, before, 1, 1)
          y = relu(normalize(own, 'bn1', y, before), before)
          size /= stride
          const middle = [1, width, size, size]
          const wide = [1, width * 4, size, size]
          y = relu(
            normalize(own, 'bn2', convolution(own, 'conv2', y, middle, 3, stride), middle),
            middle,
          )
          y = normalize(own, 'bn3', convolution(own, 'conv3', y, wide, 1, 1), wide)
          let identity = x
          if (block === 0)
            identity = writer.within('downsample', () => {
              const down = module(own, 'downsample')
              return normalize(down, '1', convolution(down, '0', x, wide, 1, stride), wide)
            })
          const one = writer.constant(1, 'int')
          return relu(writer.tensor('aten::add_', [y, identity, one], wide, schemas.add), wide)
        })
      }
    })
  }
  x = writer.within('avgpool', () =>
    writer.tensor(
      'aten::adaptive_avg_pool2d',
      [x, writer.integers([1, 1])],
      [1, 2048, 1, 1],
      'aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor',
    ),
  )
  const start = writer.constant(1, 'int')
  const end = writer.constant(-1, 'int')
  x = writer.tensor(
    'aten::flatten',
    [x, start, end],
    [1, 2048],
    'aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)',
  )
  x = writer.within('fc', () => {
    const own = module('self.1', 'fc')
    return writer.tensor(
      'aten::linear',
      [x, parameter(own, 'weight'), parameter(own, 'bias')],
      [1, 1000],
      schemas.linear,
    )
  })
  return writer.finish('forward', [x])
}

/** An encoder of `layers` layers with attention written out, as a tracer leaves it; a mask that all layers use. */
export function transformerGraph(layers = 24): Graph {
  const writer = new GraphWriter()
  writer.inputs.push({ name: 'self.1', type: '__torch__.Encoder' })
  const [batch, length, width, heads] = [8, 128, 1024, 16]
  const mask = writer.input('mask', [batch, 1, 1, length])
  let x = writer.input('x', [batch, length, width])
  const full = [batch, length, width]
  const split = [batch, heads, length, width / heads]
  const read = (parent: string, name: string, type = 'Tensor'): string =>
    writer.add('prim::GetAttr', [parent], [{ name: writer.fresh(), type }], { name })
  const linear = (self: string, name: string, input: string, shape: number[]): string =>
    writer.within(name, () => {
      const own = read(self, name, '__torch__.torch.nn.Linear')
      return writer.tensor(
        'aten::linear',
        [input, read(own, 'weight'), read(own, 'bias')],
        shape,
        schemas.linear,
      )
    })
  const norm = (self: string, name: string, input: string): string =>
    writer.within(name, () => {
      const own = read(self, name, '__torch__.torch.nn.LayerNorm')
      const size = writer.integers([width])
      const eps = writer.constant(1e-5, 'float')
      const cudnn = writer.constant(true, 'bool')
      return writer.tensor(
        'aten::layer_norm',
        [input, size, read(own, 'weight'), read(own, 'bias'), eps, cudnn],
        full,
        schemas.layerNorm,
      )
    })
  const add = (a: string, b: string): string =>
    writer.tensor('aten::add', [a, b, writer.constant(1, 'int')], full, schemas.add)
  const toHeads = (input: string): string => {
    const viewed = writer.tensor(
      'aten::view',
      [input, writer.integers([batch, length, heads, width / heads])],
      [batch, length, heads, width / heads],
      schemas.view,
    )
    return writer.tensor(
      'aten::transpose',
      [viewed, writer.constant(1, 'int'), writer.constant(2, 'int')],
      split,
      schemas.transpose,
    )
  }
  writer.within('encoder', () => {
    const encoder = read('self.1', 'encoder', '__torch__.Encoder')
    for (let layer = 0; layer < layers; layer += 1) {
      writer.within(`layers.${layer}`, () => {
        const own = read(encoder, `layers.${layer}`, '__torch__.Layer')
        const attended = writer.within('self_attn', () => {
          const attention = read(own, 'self_attn', '__torch__.Attention')
          const input = norm(own, 'norm', x)
          const q = toHeads(linear(attention, 'q_proj', input, full))
          const k = toHeads(linear(attention, 'k_proj', input, full))
          const v = toHeads(linear(attention, 'v_proj', input, full))
          const turned = writer.tensor(
            'aten::transpose',
            [k, writer.constant(-2, 'int'), writer.constant(-1, 'int')],
            [batch, heads, width / heads, length],
            schemas.transpose,
          )
          const scores = writer.tensor(
            'aten::matmul',
            [q, turned],
            [batch, heads, length, length],
            'aten::matmul(Tensor self, Tensor other) -> Tensor',
          )
          const scaled = writer.tensor(
            'aten::div',
            [scores, writer.constant(8, 'float')],
            [batch, heads, length, length],
            schemas.div,
          )
          const masked = writer.tensor(
            'aten::add',
            [scaled, mask, writer.constant(1, 'int')],
            [batch, heads, length, length],
            schemas.add,
          )
          const weights = writer.tensor(
            'aten::softmax',
            [masked, writer.constant(-1, 'int'), writer.constant(null, 'NoneType')],
            [batch, heads, length, length],
            schemas.softmax,
          )
          const mixed = writer.tensor(
            'aten::matmul',
            [weights, v],
            split,
            'aten::matmul(Tensor self, Tensor other) -> Tensor',
          )
          const back = writer.tensor(
            'aten::transpose',
            [mixed, writer.constant(1, 'int'), writer.constant(2, 'int')],
            [batch, length, heads, width / heads],
            schemas.transpose,
          )
          const joined = writer.tensor(
            'aten::reshape',
            [back, writer.integers([batch, length, width])],
            full,
            'aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)',
          )
          return linear(attention, 'out_proj', joined, full)
        })
        const middle = add(x, attended)
        const fed = writer.within('mlp', () => {
          const mlp = read(own, 'mlp', '__torch__.Mlp')
          const wide = [batch, length, width * 4]
          const hidden = linear(mlp, 'fc1', norm(own, 'norm2', middle), wide)
          const active = writer.tensor(
            'aten::gelu',
            [hidden],
            wide,
            "aten::gelu(Tensor self, *, str approximate='none') -> Tensor",
          )
          return linear(mlp, 'fc2', active, full)
        })
        x = add(middle, fed)
      })
    }
  })
  return writer.finish('forward', [x])
}
