import fs from 'node:fs'
import path from 'node:path'

import type { Argument, InputSpec } from '../../electron/contract/manifest'
import { askPython, makeInputsInPython } from '../support/python'

/** The tests of torch.library.opcheck. */
export const opcheckTests = [
  'test_schema',
  'test_autograd_registration',
  'test_faketensor',
  'test_aot_dispatch_dynamic',
] as const
export type OpcheckTest = (typeof opcheckTests)[number]

export const gradientChecks = ['gradcheck', 'gradgradcheck'] as const
export type GradientCheck = (typeof gradientChecks)[number]

/** One check of one call, by PyTorch. */
export interface PythonCheck {
  /** Of the answer. */
  key: string
  check: GradientCheck | OpcheckTest
  op: string
  args: readonly Argument[]
  inputs: Readonly<Record<string, InputSpec>>
  /** Of gradcheck and gradgradcheck, by their names there. */
  options: Readonly<Record<string, unknown>>
}

export interface PythonVerdict {
  ok: boolean
  /** Of a GradcheckError, or of any other exception. */
  message: string
  /** How the check ended its process, "SIGSEGV"; "" when it did not. */
  ended: string
}

/** The checks of each job share a process, which is another's copy. */
export async function askPythonToCheck(
  libraries: readonly string[],
  jobs: readonly (readonly PythonCheck[])[],
  folder: string,
): Promise<Map<string, PythonVerdict>> {
  const asked = path.join(folder, 'python-checks.json')
  fs.writeFileSync(asked, JSON.stringify({ libraries, jobs }))
  const script = fs.readFileSync(path.join(__dirname, 'python-checks.py'), 'utf8')
  const answers = await askPython(`${makeInputsInPython}\n${script}`, [asked])
  return new Map(Object.entries(answers as Record<string, PythonVerdict>))
}

/** Which of our checks a message of gradcheck's is about; undefined for an operator's own error. */
export function checkIn(message: string): string | undefined {
  const signs: [RegExp, string][] = [
    [/Jacobian computed with forward mode mismatch/, 'forward'],
    [/Jacobian mismatch/, 'backward'],
    [/not reentrant/, 'reentrant'],
    [/batched grad|under vmap|batched gradients/, 'batched'],
    [/undefined/, 'undefined'],
    [/not multiplied by grad_output/, 'zero_grad_output'],
    [/expected to be zero/, 'no_differentiable_outputs'],
    [/requires_grad=True/, 'inputs'],
  ]
  return signs.find(([sign]) => sign.test(message))?.[1]
}
