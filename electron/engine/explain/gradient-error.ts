import type { WorkbenchError } from '../../contract/outcome'

interface Meaning {
  match: RegExp
  message: (groups: string[]) => string
  hint: string
}

const backward = (name: string): string => {
  const plain = name.replace(/^.*CppNode<(.*)>$/, '$1').replace(/Backward\d*$/, '')
  return plain === '' ? 'A backward' : `The backward of ${plain}`
}

const shapeOf = (text: string): string =>
  text === '[]' ? '[]' : text.replace(/^\[|\]$/g, '').replace(/,\s*/g, ' × ')

/** What libtorch's autograd engine says at run time; groups that are not there are "". */
const meanings: readonly Meaning[] = [
  {
    match:
      /(?:[Ff]unction (\S+) )?returned an incorrect number of gradients \(expected (\d+), got (\d+)\)/,
    message: ([name = '', expected = '', got = '']) =>
      `${backward(name)} returns ${got === '1' ? '1 gradient' : `${got} gradients`}, but forward has ${expected === '1' ? '1 input' : `${expected} inputs`}.`,
    hint: 'Return one gradient for each input of forward (not for ctx), in the same order. Use at::Tensor() for inputs without a gradient, such as numbers and flags.',
  },
  {
    match:
      /Function (\S+) returned an invalid gradient at index (\d+) - got (\[[^\]]*\]) but expected shape compatible with (\[[^\]]*\])/,
    message: ([name = '', index = '', got = '', expected = '']) =>
      `${backward(name)} returns a gradient of shape ${shapeOf(got)} for tensor input ${index}, which has shape ${shapeOf(expected)}.`,
    hint: 'A gradient must have the shape of its input: transpose the gradient, or sum it over the dimensions that broadcasting added (at::sum_to). Also check the order of the gradients. The number counts only inputs that are tensors, from 0.',
  },
  {
    match: /Function (\S+) returned an invalid gradient at index (\d+) - (.+)/,
    message: ([name = '', index = '', what = '']) =>
      `${backward(name)} returns a gradient that does not match tensor input ${index}: ${what.trim().replace(/\.$/, '')}.`,
    hint: 'A gradient must have the dtype, device and layout of its input. The number counts only inputs that are tensors, from 0.',
  },
  {
    match:
      /one of the variables needed for gradient computation has been modified by an inplace operation: \[(\S+) (\[[^\]]*\])\]/,
    message: ([, shape = '']) =>
      `A tensor of shape ${shapeOf(shape)} was changed in place after forward saved it for backward.`,
    hint: 'Backward would compute with other values than forward. Write to a copy (x.clone()), or save the tensor after the last write to it.',
  },
  {
    match:
      /a (?:view of a )?leaf Variable that requires grad (?:is being|has been) used in an in-place operation/,
    message: () =>
      'The operator writes in place to an input that requires grad: autograd would lose the original value.',
    hint: 'Return a new tensor, or work on x.clone(). If the operator must write to its input, make a function that passes x.clone() to the operator, and run the gradcheck on that function.',
  },
  {
    match: /element (\d+) of tensors does not require grad and does not have a grad_fn/,
    message: ([index = '0']) =>
      `Result ${index} has no grad_fn: autograd did not record how it was computed.`,
    hint: 'Register a torch::autograd::Function (or an autograd entry in opsmith.json) for the operator. item(), data_ptr and detach() also stop the gradient.',
  },
  {
    match: /Trying to backward through the graph a second time/,
    message: () =>
      'Backward ran a second time on the same graph, but the first run freed the saved tensors.',
    hint: 'To run backward twice, set retain_graph=true for the first run. If your code runs backward only once, look for a tensor of an earlier call in a static variable or a member.',
  },
  {
    match: /(?:the )?derivative for '?([\w:.]+)'? is not implemented/,
    message: ([name = '']) =>
      `PyTorch has no derivative of ${name}, but backward needs the gradient of ${name}.`,
    hint: 'Write the backward by hand, or use operators that have a derivative.',
  },
]

/** What a text of libtorch's autograd means, and what to do; undefined where nothing better is known. */
export function gradientMeaning(text: string): { message: string; hint: string } | undefined {
  for (const { match, message, hint } of meanings) {
    const found = match.exec(text)
    if (!found) continue
    const groups = found.slice(1).map((group: string | undefined) => group ?? '')
    return { message: message(groups), hint }
  }
  return undefined
}

/** An error of a run in plain words; its own text stays as `detail`. What is not known comes back as it was. */
export function explainGradientError(error: WorkbenchError): WorkbenchError {
  const meaning = error.code === 'operator.check' ? gradientMeaning(error.message) : undefined
  return meaning ? { ...error, ...meaning, detail: error.detail ?? error.message } : error
}
