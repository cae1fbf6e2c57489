import type { DoctorReport, Judgement } from '../contract/doctor'
import type { Workbench } from '../engine/workbench'
import { exitCodes } from './exit-codes'
import { printJson } from './print'

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

export async function runDoctor(
  workbench: Workbench,
  folder: string,
  options: { json: boolean },
): Promise<number> {
  const report = await workbench.doctor.report(folder)
  if (options.json) printJson(report)
  else printDoctor(report)
  return report.ok ? exitCodes.good : exitCodes.failed
}
