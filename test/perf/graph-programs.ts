/** TorchScript programs of the sizes that graphs are judged by. All take one tensor, `x`. */
export interface GraphProgram {
  name: string
  entry: string
  source: string
  /** Of x. */
  shape: number[]
}

/** Wired like ResNet-50 (He et al. 2015, table 1): four stages of 3, 4, 6 and 3 bottlenecks. */
export function resnetProgram(): GraphProgram {
  const lines = [
    'import torch',
    '',
    'def convolve(x, channels: int, size: int, stride: int):',
    '    weight = torch.full([channels, x.size(1), size, size], 0.01)',
    '    y = torch.conv2d(x, weight, None, stride, size // 2)',
    '    return torch.batch_norm(y, None, None, torch.zeros(channels), torch.ones(channels), True, 0.1, 1e-5, False)',
    '',
    'def bottleneck(x, channels: int, stride: int, widens: bool):',
    '    y = torch.relu(convolve(x, channels, 1, 1))',
    '    y = torch.relu(convolve(y, channels, 3, stride))',
    '    y = convolve(y, 4 * channels, 1, 1)',
    '    if widens:',
    '        x = convolve(x, 4 * channels, 1, stride)',
    '    return torch.relu(x + y)',
    '',
    'def resnet(x):',
    '    x = torch.relu(convolve(x, 64, 7, 2))',
    '    x = torch.max_pool2d(x, 3, 2, 1)',
  ]
  const stages: [number, number][] = [
    [64, 3],
    [128, 4],
    [256, 6],
    [512, 3],
  ]
  for (const [index, [channels, blocks]] of stages.entries()) {
    for (let block = 0; block < blocks; block += 1) {
      const stride = block === 0 && index > 0 ? 2 : 1
      lines.push(`    x = bottleneck(x, ${channels}, ${stride}, ${block === 0 ? 'True' : 'False'})`)
    }
  }
  lines.push('    return torch.matmul(x.mean([2, 3]), torch.full([2048, 10], 0.01))', '')
  return {
    name: 'ResNet-50-like',
    entry: 'resnet',
    source: lines.join('\n'),
    shape: [1, 3, 32, 32],
  }
}

/** A pre-norm transformer encoder (Vaswani et al. 2017), every layer written out. */
export function transformerProgram(layers = 24): GraphProgram {
  const lines = [
    'import torch',
    '',
    'def project(x, size: int):',
    '    return torch.matmul(x, torch.full([x.size(-1), size], 0.01)) + torch.zeros(size)',
    '',
    'def attention(x, heads: int):',
    '    batch, length, width = x.size(0), x.size(1), x.size(2)',
    '    q = project(x, width).view(batch, length, heads, -1).transpose(1, 2)',
    '    k = project(x, width).view(batch, length, heads, -1).transpose(1, 2)',
    '    v = project(x, width).view(batch, length, heads, -1).transpose(1, 2)',
    '    weights = torch.softmax(torch.matmul(q, k.transpose(-2, -1)) / 8.0, -1)',
    '    mixed = torch.matmul(weights, v).transpose(1, 2).reshape(batch, length, width)',
    '    return project(mixed, width)',
    '',
    'def layer(x):',
    '    width = x.size(-1)',
    '    x = x + attention(torch.layer_norm(x, [width]), 4)',
    '    h = torch.gelu(project(torch.layer_norm(x, [width]), 4 * width))',
    '    return x + project(h, width)',
    '',
    'def transformer(x):',
    ...Array.from({ length: layers }, () => '    x = layer(x)'),
    '    return torch.layer_norm(x, [x.size(-1)])',
    '',
  ]
  return {
    name: `${layers}-layer transformer`,
    entry: 'transformer',
    source: lines.join('\n').replaceAll('torch.gelu', 'torch.nn.functional.gelu'),
    shape: [1, 8, 64],
  }
}

/** `nodes` operators of one or two inputs each, taken from the 20 results before. */
export function dagProgram(nodes: number): GraphProgram {
  let state = 1
  // Knuth's MMIX constants cut to 31 bits; the same program on every machine.
  const random = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
  const lines = ['import torch', '', 'def dag(x):', '    v0 = x']
  for (let index = 1; index <= nodes; index += 1) {
    const before = (): string => `v${Math.max(0, index - 1 - Math.floor(random() * 20))}`
    // Every result is used once more than the last, so that nothing is dead code.
    lines.push(
      random() < 0.5
        ? `    v${index} = torch.relu(${before()})`
        : `    v${index} = torch.mul(v${index - 1}, ${before()})`,
    )
  }
  lines.push(`    return v${nodes}`, '')
  return { name: `DAG of ${nodes} operators`, entry: 'dag', source: lines.join('\n'), shape: [4] }
}
