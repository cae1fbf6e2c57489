import type { DoctorReport, Judgement } from '../../contract/doctor'
import type { Workbench } from '../../engine/workbench'
import { exitCodes } from '../exit-codes'
import { printJson } from '../print'
import { flag } from '../options'
import type { OptionValues } from '../options'
import { defineVerb } from '../verb'

const marks: Record<Judgement, string> = {
  usable: 'ok     ',
  warning: 'warning',
  unusable: 'unusable',
  absent: 'absent ',
}

export function printDoctor(report: DoctorReport): void {
  const write = (line: string): void => {
    process.stdout.write(`${line}\n`)
  }
  write(report.platform)
  for (const finding of report.findings) {
    const facts = finding.facts.map(([name, value]) => `${name} ${value}`).join(', ')
    write(
      `${finding.chosen ? '*' : ' '} ${marks[finding.judgement].padEnd(9)} ${finding.name.padEnd(24)} ${finding.path}${facts === '' ? '' : `  (${facts})`}`,
    )
    if (finding.why !== '') write(`              ${finding.why}`)
    if (finding.remedy !== '') write(`              → ${finding.remedy}`)
  }
  for (const problem of report.problems) {
    write(`! ${problem.message}`)
    if (problem.remedy !== '') write(`  → ${problem.remedy}`)
  }
  write(
    report.ok
      ? 'Operators can be built and run here.'
      : 'Operators cannot be built and run here yet.',
  )
}

const verbOptions = { json: flag('print the answer as JSON to stdout') }

async function runDoctor(
  workbench: Workbench,
  folder: string,
  options: OptionValues<typeof verbOptions>,
): Promise<number> {
  const report = await workbench.doctor.report(folder)
  if (options.json) printJson(report)
  else printDoctor(report)
  return report.ok ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'doctor',
  order: 15,
  description: 'look for compilers, libtorch, CUDA and Python, and say whether they can be used',
  argument: {
    name: 'project',
    description: 'folder with opsmith.json, for its own choice of tools',
    isOptional: true,
  },
  options: verbOptions,
  run: runDoctor,
})
