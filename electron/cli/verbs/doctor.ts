import fs from 'node:fs'

import type { DoctorReport, Judgement } from '../../contract/doctor'
import { gpuCheckTitles, gpuTable, isGoodGpuReport } from '../../contract/gpu-check'
import type { GpuCheckStatus } from '../../contract/gpu-check'
import { explainLog, machineFacts } from '../../engine/doctor/environment-failures'
import { ioError } from '../../engine/project/files'
import type { Workbench } from '../../engine/workbench'
import { exitCodes } from '../exit-codes'
import { interruptSignal } from '../interrupt'
import { callerPath, printError, printJson, printLines, progress } from '../print'
import { flag, text } from '../options'
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
      ? 'This machine can build and run operators.'
      : 'This machine cannot build and run operators yet.',
  )
}

const verbOptions = {
  log: text(
    '<file>',
    'explain the failures in the output of a build or an import; "-" reads stdin',
  ),
  gpu: flag(
    'check a GPU instead of the tools: runs ten checks, which take about a minute together, and prints a table of results to paste into an issue',
  ),
  json: flag('print the result as JSON to stdout'),
}

const words: Record<GpuCheckStatus, string> = {
  passed: 'passed',
  warning: 'warning',
  failed: 'FAILED',
  skipped: 'skipped',
}

async function checkGpu(workbench: Workbench, json: boolean): Promise<number> {
  const report = await workbench.gpuChecks.run({
    signal: interruptSignal(),
    onStart: (name) => {
      progress(`${gpuCheckTitles[name]} …`)
    },
    onCheck: ({ name, status, reason }) => {
      if (!json) printLines([`${words[status]}  ${gpuCheckTitles[name].padEnd(22)} ${reason}`])
    },
  })
  if (!report.ok) return printError(report.error, json)
  if (json) printJson(report.value)
  else printLines(['', gpuTable(report.value)])
  return isGoodGpuReport(report.value) ? exitCodes.good : exitCodes.failed
}

/** Explains a log instead of looking at this machine. It is good news when a failure is known. */
function explainFile(file: string, json: boolean): number {
  let log: string
  try {
    log = fs.readFileSync(file === '-' ? 0 : callerPath(file), 'utf8')
  } catch (error) {
    return printError(ioError(error, `read ${file}`).error, json)
  }
  const failures = explainLog(log, machineFacts())
  if (json) printJson(failures)
  else
    printLines(
      failures.flatMap(({ line, text: found, cause, remedy, command }) => [
        `${file === '-' ? 'line ' : `${file}:`}${line}: ${found}`,
        `  ${cause}`,
        `  ${remedy}`,
        ...(command === '' ? [] : [`  → ${command}`]),
      ]),
    )
  if (failures.length > 0) return exitCodes.good
  if (!json)
    progress(
      'Opsmith does not recognize a problem in this log. Give --log the whole output, from the first error to the end.',
    )
  return exitCodes.failed
}

async function runDoctor(
  workbench: Workbench,
  folder: string,
  options: OptionValues<typeof verbOptions>,
): Promise<number> {
  if (options.log !== undefined) return explainFile(options.log, options.json)
  if (options.gpu) return await checkGpu(workbench, options.json)
  const report = await workbench.doctor.report(folder)
  if (options.json) printJson(report)
  else printDoctor(report)
  return report.ok ? exitCodes.good : exitCodes.failed
}

export const verb = defineVerb({
  name: 'doctor',
  order: 15,
  description: 'find compilers, libtorch, CUDA and Python, and report whether Opsmith can use them',
  argument: {
    name: 'project',
    description:
      'project folder; the tools that opsmith.json in this folder selects are checked too',
    isOptional: true,
  },
  options: verbOptions,
  readsInput: ({ log }) => log === '-',
  notes: [
    '--gpu compiles a small CUDA library, calls the library in separate processes, and measures the first GPU. The exit code is 0 if at least one check ran and no check failed.',
  ],
  run: runDoctor,
})
