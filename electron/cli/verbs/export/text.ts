import path from 'node:path'

import type { ExportReport, ExportStep, FormReport } from '../../../contract/export'
import { describeError } from '../../print'

export function stepLine({ name, status, reason, seconds }: ExportStep): string {
  const state = status === 'ok' ? `${seconds.toFixed(1)} s` : reason
  return `  ${status === 'ok' ? 'ok     ' : status === 'failed' ? 'FAILED ' : 'skipped'} ${name}: ${state}`
}

/** Steps that this machine has no tool for: they did not fail, and nothing was proven by them. */
const untriedOf = ({ steps }: FormReport): ExportStep[] =>
  steps.filter((step) => step.status === 'skipped')

function untriedText(report: FormReport): string {
  const { length } = untriedOf(report)
  return length === 0 ? '' : `, ${length} ${length === 1 ? 'step' : 'steps'} not tried`
}

export function formLines(report: FormReport): string[] {
  const { form, directory, steps, products, error } = report
  const lines = [
    `${report.ok ? 'ok    ' : 'FAILED'} ${form}${directory === '' ? '' : `: ${directory}`}${untriedText(report)}`,
  ]
  if (error)
    lines.push(
      ...describeError(error)
        .split('\n')
        .map((line) => `  ${line}`),
    )
  for (const step of steps) {
    lines.push(stepLine(step))
    if (step.status !== 'failed') continue
    lines.push(
      ...step.log
        .trimEnd()
        .split('\n')
        .slice(-30)
        .map((line) => `    ${line}`),
    )
  }
  lines.push(...products.map((name) => `  built   ${path.join(directory, name)}`))
  return lines
}

/**
 * The published form. `ok` of a step says that it did not fail; `status` whether it was made at all:
 * "skipped" is one that was not, `reason` says why, and the form's `untried` lists them.
 */
export function exportJson(report: ExportReport): object {
  return {
    ok: report.ok,
    forms: report.forms.map((one) => ({
      form: one.form,
      ok: one.ok,
      directory: one.directory,
      untried: untriedOf(one).map(({ name, reason }) => `${name}: ${reason}`),
      steps: one.steps.map(({ name, status, reason, seconds, log }) => ({
        name,
        ok: status !== 'failed',
        status,
        seconds,
        log,
        ...(reason === '' ? {} : { reason }),
      })),
      files: one.files,
      products: one.products,
      ...(one.abi ? { abi: one.abi } : {}),
      ...(one.error ? { error: one.error } : {}),
    })),
  }
}
