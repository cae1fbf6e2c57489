import { graphForm, graphPass } from '../../../contract/graph'
import type { GraphForm, GraphPass } from '../../../contract/graph'
import type { Argument } from '../../../contract/manifest'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { callArguments, flag, number, parsed, parsedList, text, wordsOf } from '../../options'
import type { OptionValues } from '../../options'

export const graphFormats = ['text', 'json', 'dot', 'svg'] as const
export type GraphFormat = (typeof graphFormats)[number]

/** "inline,cse": passes in the order in which they run. */
function passesOf(given: string): Result<GraphPass[]> {
  const passes: GraphPass[] = []
  for (const name of wordsOf([given])) {
    const pass = graphPass.safeParse(name)
    if (!pass.success) {
      return err('request.invalid', `There is no pass "${name}".`, {
        hint: `Passes are ${graphPass.options.join(', ')}.`,
      })
    }
    passes.push(pass.data)
  }
  return ok(passes)
}

function formatOf(given: string): Result<GraphFormat> {
  const format = graphFormats.find((one) => one === given)
  return format
    ? ok(format)
    : err('request.invalid', `There is no format "${given}".`, {
        hint: `Formats are ${graphFormats.join(', ')}.`,
      })
}

export const graphVerbOptions = {
  entry: text(
    '<name>',
    'function, operator or method; without this option, a function of the program, else the first operator that opsmith.json calls; for a model file, its first method or graph',
  ),
  script: flag('the graph that the TorchScript compiler made (the default)'),
  trace: flag('the graph that tracing recorded while the function ran'),
  autograd: flag('grad_fn nodes from the outputs to the leaves'),
  executed: flag('the graph that the profiling executor ran, fused and specialised'),
  pass: parsedList(
    '<names>',
    'names of passes, separated by commas; they run in the order in which you name them',
    passesOf,
    {
      isRepeated: true,
    },
  ),
  args: callArguments('arguments of the call, a JSON list as in opsmith.json'),
  observe: flag('run the graph node by node: show the time, memory and statistics of each node'),
  format: {
    ...parsed('<format>', graphFormats.join(', '), formatOf),
    defaultText: 'text',
  },
  json: flag('the same as --format json'),
  diff: text(
    '<file>',
    'compare with the graph in a .pt, .pt2 or .json file; exit code 1 if the graphs differ',
  ),
  project: text(
    '<folder>',
    'with a model file: the project that registers the operators of the model',
  ),
  timeout: number('<seconds>', 'time limit of the capture, and of the runs of --observe', {
    least: 0,
    isAbove: true,
  }),
  save: text(
    '<file>',
    'save the scripted or traced function as a .pt file that Python and C++ load',
  ),
  output: text('<file>', 'write to a file instead of stdout'),
}

export interface GraphOptions {
  /** "" takes the first there is. */
  entry: string
  form: Exclude<GraphForm, 'export'>
  /** The user named a form. */
  formGiven: boolean
  passes: GraphPass[]
  format: GraphFormat
  args: Argument[]
  observe: boolean
  /** Files and folders as given, "" for none. */
  diff: string
  save: string
  output: string
  project: string
  /** Seconds for each capture, check or run; 0 for what the settings say. */
  timeout: number
}

/** No options at all: the script graph of the first entry, as text. */
export const defaultGraphOptions: GraphOptions = {
  entry: '',
  form: 'script',
  formGiven: false,
  passes: [],
  format: 'text',
  args: [],
  observe: false,
  diff: '',
  save: '',
  output: '',
  project: '',
  timeout: 0,
}

/** What the options ask for together; an error names the options that do not fit each other. */
export function readGraphOptions(
  given: OptionValues<typeof graphVerbOptions>,
): Result<GraphOptions> {
  const forms = graphForm.options.filter(
    (form): form is GraphOptions['form'] => form !== 'export' && given[form],
  )
  if (forms.length > 1) {
    return err(
      'request.invalid',
      `Give only one of ${forms.map((form) => `--${form}`).join(' and ')}.`,
    )
  }
  const format = given.json ? 'json' : (given.format ?? 'text')
  if (format === 'dot' && given.diff !== undefined) {
    return err(
      'request.invalid',
      'The format dot cannot show a difference. Use --format text, json or svg with --diff.',
    )
  }
  if (given.observe && (format === 'dot' || format === 'svg' || given.diff !== undefined)) {
    return err(
      'request.invalid',
      given.diff === undefined
        ? `The format ${format} cannot show the results of --observe.`
        : '--observe and --diff cannot be given together.',
      {
        hint:
          given.diff === undefined
            ? 'Use --format text or json: both formats print the results of --observe with the graph.'
            : 'Run the command once with --observe and once with --diff.',
      },
    )
  }
  return ok({
    entry: given.entry ?? '',
    form: forms[0] ?? 'script',
    formGiven: forms.length > 0,
    passes: (given.pass ?? []).flat(),
    format,
    args: given.args ?? [],
    observe: given.observe,
    diff: given.diff ?? '',
    save: given.save ?? '',
    output: given.output ?? '',
    project: given.project ?? '',
    timeout: given.timeout ?? 0,
  })
}
