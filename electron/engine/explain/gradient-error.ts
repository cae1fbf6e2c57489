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

const shapeOf = (text: string): string => text.replace(/^\[|\]$/g, '').replace(/,\s*/g, ' × ')

/** What libtorch's autograd engine says at run time; groups that are not there are "". */
const meanings: readonly Meaning[] = [
  {
    match:
      /(?:[Ff]unction (\S+) )?returned an incorrect number of gradients \(expected (\d+), got (\d+)\)/,
    message: ([name = '', expected = '', got = '']) =>
      `${backward(name)} gives ${got === '1' ? '1 gradient' : `${got} gradients`}, and forward has ${expected === '1' ? '1 input' : `${expected} inputs`}.`,
    hint: 'Return one for each of forward’s inputs (ctx is none), in their order: at::Tensor() for those without a gradient, numbers and options included.',
  },
  {
    match:
      /Function (\S+) returned an invalid gradient at index (\d+) - got (\[[^\]]*\]) but expected shape compatible with (\[[^\]]*\])/,
    message: ([name = '', index = '', got = '', expected = '']) =>
      `${backward(name)} gives a gradient of shape ${shapeOf(got)} for input ${index}, which is of shape ${shapeOf(expected)}.`,
    hint: 'A gradient has the shape of its input: transpose it back, or sum over the dimensions that broadcasting has added (at::sum_to). Were two gradients exchanged?',
  },
  {
    match: /Function (\S+) returned an invalid gradient at index (\d+) - (.+)/,
    message: ([name = '', index = '', what = '']) =>
      `${backward(name)} gives a gradient that does not fit input ${index}: ${what.trim().replace(/\.$/, '')}.`,
    hint: 'A gradient has the dtype, device and layout of its input.',
  },
  {
    match:
      /one of the variables needed for gradient computation has been modified by an inplace operation: \[(\S+) (\[[^\]]*\])\]/,
    message: ([, shape = '']) =>
      `A tensor of shape ${shapeOf(shape)} that was saved for backward was written to after forward had saved it.`,
    hint: 'The gradient would be of other values than forward has used. Write to a copy (x.clone()), or save what backward needs after the last write to it.',
  },
  {
    match:
      /a (?:view of a )?leaf Variable that requires grad (?:is being|has been) used in an in-place operation/,
    message: () =>
      'An input that a gradient is asked of is written to: its value before would be lost.',
    hint: 'Give back a new tensor, or work on x.clone(). An operator that is meant to write to its input is differentiated as a function of a copy.',
  },
  {
    match: /element (\d+) of tensors does not require grad and does not have a grad_fn/,
    message: ([index = '0']) =>
      `No gradient goes back from result ${index}: autograd knows nothing of how it was made.`,
    hint: 'Register a torch::autograd::Function (or an autograd entry in opsmith.json) for the operator. Numbers read by item() or data_ptr, and detach(), end the way back as well.',
  },
  {
    match: /Trying to backward through the graph a second time/,
    message: () => 'Backward ran a second time over a graph whose saved tensors are gone.',
    hint: 'What is asked twice keeps its graph: retain_graph=true for the first; or do not keep results of one call for the next, in static variables and members.',
  },
  {
    match: /(?:the )?derivative for '?([\w:.]+)'? is not implemented/,
    message: ([name = '']) => `${name} has no derivative, and a gradient was asked of it.`,
    hint: 'Write the backward by hand, or use operators that have one.',
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
