import type { Diagnostic, DiagnosticNote } from '../../../electron/contract/diagnostics'
import type { GradcheckOutcome } from '../../../electron/contract/gradcheck'
import { gradientPlace, gradientsStore } from './gradient-functions'
import { gradcheckStore, type GradcheckState } from './store'
import { currentManifest } from '../../store/project'
import { programFunctions } from '../../store/program-functions'
import { operatorKey, schemasStore } from '../../store/schemas'
import { isOlder, stampsShown } from '../../store/staleness'

const none: Diagnostic[] = []
let cachedFor: unknown[] = []
let cached: Diagnostic[] = none

/** Gradchecks of opsmith.json that did not come out as expected, at the kernel they are about. */
export function gradcheckDiagnostics(): Diagnostic[] {
  const { outcomes } = gradcheckStore.getState()
  const key = [
    outcomes,
    stampsShown('run'),
    schemasStore.getState().load,
    gradientsStore.getState(),
  ]
  if (key.every((part, index) => part === cachedFor[index])) return cached
  cachedFor = key
  const wrong = unexpected(outcomes)
  const ops = [...new Set(wrong.map((outcome) => outcome.op))]
  cached =
    ops.length === 0
      ? none
      : ops.map((op) =>
          asDiagnostic(
            op,
            wrong.filter((one) => one.op === op),
          ),
        )
  return cached
}

/** Of the sources as they are: a verdict on older ones is no problem of these. */
export function unexpected(outcomes: GradcheckState['outcomes']): GradcheckOutcome[] {
  return Object.values(outcomes).flatMap(({ outcome, stamp }) => {
    // A lost connection says nothing about the operator.
    const isCut = outcome.error?.code === 'target.unavailable'
    return outcome.asExpected || isCut || isOlder(stamp, 'run') ? [] : [outcome]
  })
}

/** The verdict's reason in one line: the likely cause where there is one. */
export function whyOf(outcome: GradcheckOutcome): string {
  if (outcome.error) return outcome.error.message
  const failed = outcome.report?.findings.find((finding) => finding.status === 'failed')
  if (!failed) return 'The gradcheck passes, but opsmith.json expects a failure.'
  return failed.cause === '' ? sentence(failed.reason) : failed.cause
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function asDiagnostic(op: string, outcomes: GradcheckOutcome[]): Diagnostic {
  const [first] = outcomes
  const isOfCall = first !== undefined && failsInTheCall(first)
  const place = (isOfCall ? null : gradientPlace(op)) ?? placeOf(op, isOfCall)
  const notes = outcomes.map((outcome): DiagnosticNote => {
    const message = `${outcome.name}: ${whyOf(outcome)}`
    return { severity: 'note', file: '', line: 0, column: 0, message }
  })
  const several = outcomes.length > 1 ? ` (${outcomes.length} gradchecks)` : ''
  return {
    severity: 'error',
    file: place.file,
    line: place.line,
    column: 0,
    message: `Gradcheck of ${op}${several}: ${first ? whyOf(first) : ''}`,
    source: 'gradcheck',
    code: '',
    notes: outcomes.length > 1 ? notes : [],
  }
}

/** The call itself did not give what a gradient could be taken of. */
export function failsInTheCall(outcome: Pick<GradcheckOutcome, 'report'>): boolean {
  const failed = outcome.report?.findings.find((finding) => finding.status === 'failed')
  return failed?.check === 'inputs' || failed?.check === 'outputs'
}

/**
 * Where the gradient is written: the backward function, the autograd kernel, the program's function.
 * @param isOfCall where the operator itself is, instead
 */
export function placeOf(op: string, isOfCall: boolean): { file: string; line: number } {
  const operators = schemasStore.getState().load?.operators ?? []
  const find = (name: string): (typeof operators)[number] | undefined =>
    operators.find((item) => operatorKey(item) === name || item.name === name)
  const manifest = currentManifest()
  const entry = manifest?.autograd.find(
    (item) => item.name === op || `${manifest.name}::${item.name}` === op,
  )
  const name = (isOfCall ? entry?.forward : entry?.backward) ?? op
  const known = find(name) ?? find(`${manifest?.name ?? ''}::${name}`) ?? find(op)
  const kernels = known?.kernels ?? []
  const kernel =
    kernels.find((item) => item.dispatchKey.startsWith('Autograd') !== isOfCall) ?? kernels[0]
  if (kernel) return { file: kernel.file, line: kernel.line }
  const line = programFunctions().find((item) => item.name === op)?.line
  if (line !== undefined && manifest?.program !== undefined) return { file: manifest.program, line }
  return { file: '', line: 0 }
}
