import { graphForm, graphPass } from '../contract/graph'
import type { GraphForm, GraphPass } from '../contract/graph'
import type { Argument } from '../contract/manifest'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import { argumentsOf, numberOf } from './option-values'

export const graphFormats = ['text', 'json', 'dot', 'svg'] as const
export type GraphFormat = (typeof graphFormats)[number]

/** As commander gives them. */
export interface GivenGraphOptions {
  entry?: string
  script?: boolean
  trace?: boolean
  autograd?: boolean
  executed?: boolean
  pass?: string[]
  format?: string
  json?: boolean
  diff?: string
  args?: string
  observe?: boolean
  save?: string
  output?: string
  project?: string
  timeout?: string
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

function listed(words: readonly string[]): string {
  return words.join(', ')
}

/** Sentences name the option and what it takes. */
export function readGraphOptions(given: GivenGraphOptions): Result<GraphOptions> {
  const forms = graphForm.options.filter(
    (form): form is GraphOptions['form'] => form !== 'export' && given[form] === true,
  )
  if (forms.length > 1) {
    return err(
      'request.invalid',
      `One form at a time: ${forms.map((form) => `--${form}`).join(' or ')}.`,
    )
  }
  const passes: GraphPass[] = []
  for (const name of (given.pass ?? []).flatMap((text) => text.split(','))) {
    const pass = graphPass.safeParse(name.trim())
    if (!pass.success) {
      return err('request.invalid', `There is no pass "${name.trim()}".`, {
        hint: `Passes are ${listed(graphPass.options)}.`,
      })
    }
    passes.push(pass.data)
  }
  const format = graphFormats.find(
    (one) => one === (given.json ? 'json' : (given.format ?? 'text')),
  )
  if (!format) {
    return err('request.invalid', `There is no format "${given.format ?? ''}".`, {
      hint: `Formats are ${listed(graphFormats)}.`,
    })
  }
  if (format === 'dot' && given.diff !== undefined) {
    return err('request.invalid', 'A difference is written as text, json or svg.')
  }
  if (given.observe && (format === 'dot' || format === 'svg' || given.diff !== undefined)) {
    return err(
      'request.invalid',
      given.diff === undefined
        ? `--observe has nowhere to write what it saw in ${format}.`
        : '--observe is about one graph, --diff about two.',
      { hint: 'With --format text or json the times stand beside the graph.' },
    )
  }
  const args = given.args === undefined ? ok<Argument[]>([]) : argumentsOf(given.args)
  if (!args.ok) return args
  const timeout =
    given.timeout === undefined ? ok(0) : numberOf('timeout', given.timeout, 0, 'above')
  if (!timeout.ok) return timeout
  return ok({
    entry: given.entry ?? '',
    form: forms[0] ?? 'script',
    formGiven: forms.length > 0,
    passes,
    format,
    args: args.value,
    observe: given.observe ?? false,
    diff: given.diff ?? '',
    save: given.save ?? '',
    output: given.output ?? '',
    project: given.project ?? '',
    timeout: timeout.value,
  })
}
