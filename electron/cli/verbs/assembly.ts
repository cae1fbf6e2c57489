import path from 'node:path'

import { assemblySide, flagsSide } from '../../contract/assembly'
import type {
  AssemblyChoice,
  AssemblyComparison,
  AssemblyForm,
  AssemblyFunction,
  AssemblyListing,
  AssemblyReport,
  AssemblySide,
  LoopEstimate,
  OptimizationRemark,
} from '../../contract/assembly'
import type { Workbench } from '../../engine/workbench'
import { buildAloud, buildJson } from '../building'
import { exitCodes } from '../exit-codes'
import { flag, jsonFlag, text } from '../options'
import type { OptionValues } from '../options'
import { printError, printJson, printLines, progress } from '../print'
import { defineVerb, projectArgument, refuse } from '../verb'

const assemblyOptions = {
  function: text(
    '<name>',
    'name of the function, or FILE:LINE; without this option, the functions are listed',
  ),
  ptx: flag("show a CUDA kernel's PTX"),
  sass: flag("show a CUDA kernel's machine code (SASS); needs nvdisasm or cuobjdump"),
  against: text(
    '<build>',
    'compare with an earlier build: its name or key, as opsmith bench PROJECT --builds lists them, or "last"',
  ),
  againstFlags: text(
    '<flags>',
    'compile again with these flags added, and compare: "-O3 -march=native"; a compiler may come first: "g++-12 -O3"',
  ),
  base: text(
    '<build>',
    'with --against or --against-flags: compare this earlier build instead of the current build',
  ),
  baseFlags: text(
    '<flags>',
    'with --against or --against-flags: compare a build with these flags (written as in --against-flags) instead of the current build',
  ),
  remarks: flag("list clang's optimization remarks on the source file of the function"),
  loops: flag(
    "estimate the cycles of the function's innermost loops on this processor, with llvm-mca",
  ),
  explain: flag(
    'explain the instructions of the function; instructions without an explanation are left out',
  ),
  json: jsonFlag,
}

/** FILE:LINE instead of a name. */
function choiceOf(named: string): { name: string; file: string; line: number } {
  const place = /^(.+\.\w+):(\d+)$/.exec(named)
  return place
    ? { name: '', file: place[1] ?? '', line: Number(place[2]) }
    : { name: named, file: '', line: 0 }
}

/**
 * `opsmith assembly`: the instructions of one function, each with its line; without a name, the functions there are.
 */
async function runAssembly(
  workbench: Workbench,
  folder: string,
  options: OptionValues<typeof assemblyOptions>,
): Promise<number> {
  const { json } = options
  if (options.ptx && options.sass) {
    return refuse('Give --ptx or --sass, not both.', json)
  }
  const { against, againstFlags, base, baseFlags, remarks, loops, explain } = options
  const more = [against, againstFlags].filter((one) => one !== undefined).length
  const asked = more + [remarks, loops, explain].filter(Boolean).length
  if (asked > 1) {
    return refuse(
      'Give only one of --against, --against-flags, --remarks, --loops and --explain.',
      json,
    )
  }
  if (base !== undefined && baseFlags !== undefined)
    return refuse('Give --base or --base-flags, not both.', json)
  if ((base ?? baseFlags) !== undefined && more === 0)
    return refuse('--base and --base-flags need --against or --against-flags.', json)
  if (asked > 0 && options.function === undefined) {
    return refuse('Choose a function: --function NAME, or --function FILE:LINE.', json)
  }
  const form: AssemblyForm = options.ptx ? 'ptx' : options.sass ? 'sass' : 'machine'
  const build = await buildAloud(workbench, folder)
  if (!build.ok) return printError(build.error, json)
  if (!build.value.ok) {
    if (json) printJson({ ok: false, build: buildJson(build.value) })
    progress('the build failed')
    return exitCodes.failed
  }
  const { assemblies } = workbench
  if (options.function === undefined) {
    const listing = await assemblies.list(folder, form)
    if (!listing.ok) return printError(listing.error, json)
    if (json) printJson(listing.value)
    else printLines(listingText(listing.value, form, folder))
    return exitCodes.good
  }
  const choice = { form, ...choiceOf(options.function) }
  if (more > 0) return await showComparison(workbench, folder, choice, options)
  const report = await assemblies.show(folder, choice)
  if (!report.ok) return printError(report.error, json)
  if (loops) return await showLoops(workbench, folder, report.value, json)
  if (remarks) {
    const found = await assemblies.remarks(folder, report.value.function.file)
    if (!found.ok) return printError(found.error, json)
    if (json) printJson(found.value)
    else printLines(remarksText(found.value, folder))
    return exitCodes.good
  }
  if (json) printJson(explain ? report.value.meanings : report.value)
  else printLines(explain ? meaningsText(report.value) : assemblyText(report.value, folder))
  return exitCodes.good
}

/** What a side's two options mean; what they cannot mean is for the user to read. */
function sideOf(
  build: string | undefined,
  flags: string | undefined,
  option: string,
): { side: AssemblySide } | { wrong: string } {
  if (build === undefined && flags === undefined) return { side: { kind: 'loaded' } }
  const parsed = assemblySide.safeParse(
    build === undefined ? flagsSide(flags ?? '') : { kind: 'build', build },
  )
  const name = build === undefined ? `${option}-flags` : option
  return parsed.success
    ? { side: parsed.data }
    : { wrong: `${name}: ${parsed.error.issues[0]?.message ?? 'the value is empty'}` }
}

async function showComparison(
  { assemblies }: Workbench,
  folder: string,
  choice: AssemblyChoice,
  { against, againstFlags, base, baseFlags, json }: OptionValues<typeof assemblyOptions>,
): Promise<number> {
  const left = sideOf(against, againstFlags, '--against')
  const right = sideOf(base, baseFlags, '--base')
  if ('wrong' in left) return refuse(left.wrong, json)
  if ('wrong' in right) return refuse(right.wrong, json)
  const sides = { base: right.side, other: left.side }
  const compared = await assemblies.compare(folder, choice, sides)
  if (!compared.ok) return printError(compared.error, json)
  if (json) printJson(compared.value)
  else printLines(comparisonText(compared.value, folder))
  return exitCodes.good
}

async function showLoops(
  { assemblies }: Workbench,
  folder: string,
  report: AssemblyReport,
  json: boolean,
): Promise<number> {
  const { form, function: shown, loops } = report
  const choice = { form, name: shown.id, file: '', line: 0 }
  const estimates: LoopEstimate[] = []
  for (const loop of loops) {
    const estimate = await assemblies.estimate(folder, choice, loop)
    if (!estimate.ok) return printError(estimate.error, json)
    estimates.push(estimate.value)
  }
  if (json) printJson(estimates)
  else if (estimates.length > 0) printLines(loopsText(report, estimates, folder))
  else {
    printLines([
      form === 'machine'
        ? `The code of ${shown.title} has no loop.`
        : 'Opsmith estimates the cycles of a loop only in x86-64 machine code, not in PTX or SASS.',
    ])
  }
  return exitCodes.good
}

/** As `diff -u` writes it: "-" is the other's, "+" is the base's. */
export function comparisonText(
  { base, other, baseLabel, otherLabel, pairs }: AssemblyComparison,
  folder: string,
): string[] {
  const count = ({ mix }: AssemblyReport): number => mix[0]?.count ?? 0
  const place = placeText(base.function.file, base.function.line, folder)
  const lines = [
    `${base.function.name}  ${place}`,
    `--- ${otherLabel}: ${count(other)} instructions`,
    `+++ ${baseLabel}: ${count(base)} instructions`,
  ]
  let block: string[] = []
  for (const pair of pairs) {
    const [before, after] = [other.rows[pair.other]?.text, base.rows[pair.base]?.text]
    if (pair.same) {
      lines.push(...block, `  ${after ?? ''}`)
      block = []
      continue
    }
    if (before !== undefined) lines.push(`- ${before}`)
    if (after !== undefined) block.push(`+ ${after}`)
  }
  return [...lines, ...block]
}

export function remarksText(remarks: readonly OptimizationRemark[], folder: string): string[] {
  if (remarks.length === 0) return ['clang reports no optimization remarks for this source.']
  return remarks.map(
    ({ file, line, column, kind, pass, message }) =>
      `${placeText(file, line, folder)}:${column}: ${kind}: ${message} [${pass}]`,
  )
}

/** Two decimals, and no more zeros than are needed. */
const short = (value: number): string => String(Math.round(value * 100) / 100)

export function loopsText(
  report: AssemblyReport,
  estimates: readonly LoopEstimate[],
  folder: string,
): string[] {
  const lines: string[] = []
  report.loops.forEach(({ first, file, line, instructions }, index) => {
    const estimate = estimates[index]
    if (!estimate) return
    const { cycles, processor, instructionsPerCycle, withoutWaiting, warnings } = estimate
    const name = report.rows[first]?.text ?? ''
    lines.push(
      `${name} ${placeText(file, line, folder)}  ${instructions} instructions`,
      `  ${short(cycles)} cycles per iteration on ${processor}, ${short(instructionsPerCycle)} instructions per cycle; ${short(withoutWaiting)} cycles if no instruction waited for another`,
      ...warnings.map((warning) => `  ${warning}`),
    )
  })
  lines.push(
    '',
    'llvm-mca assumes that all data is in the first-level cache, and that all branches are predicted correctly',
  )
  return lines
}

export function meaningsText({ meanings }: AssemblyReport): string[] {
  const names = Object.keys(meanings).sort()
  const width = Math.max(0, ...names.map((name) => name.length))
  return names.length === 0
    ? ['Opsmith has no explanation for any instruction of this function.']
    : names.map((name) => `${name.padEnd(width)}  ${meanings[name] ?? ''}`)
}

const placeText = (file: string, line: number, folder: string): string =>
  line === 0 ? '' : `${path.relative(folder, file)}:${line}`

/** Addresses tell functions of one name apart; the mangled names of kernels are long, and other ones each time. */
export function listingText(
  { functions }: AssemblyListing,
  form: AssemblyForm,
  folder: string,
): string[] {
  const idOf = ({ id }: AssemblyFunction): string => (form === 'machine' ? `${id}  ` : '')
  const ids = Math.max(0, ...functions.map((one) => idOf(one).length))
  const places = functions.map(({ file, line }) => placeText(file, line, folder))
  const width = Math.max(0, ...places.map((place) => place.length))
  return functions.map((one, index) => {
    const size = one.size > 0 ? `  (${one.size} bytes)` : ''
    const place = (places[index] ?? '').padEnd(width)
    return `${idOf(one).padStart(ids)}${place}  ${one.title}${size}`
  })
}

/** A source line is named where it changes. */
export function assemblyText(report: AssemblyReport, folder: string): string[] {
  const { rows, mix, architecture, tool } = report
  const lines = [
    `${report.function.name}  ${placeText(report.function.file, report.function.line, folder)}`,
    `${architecture}, by ${tool}: ${mix
      .filter(({ count }) => count > 0)
      .map(({ what, count }) => `${count} ${what}`)
      .join(', ')}`,
    '',
  ]
  let before = ''
  for (const { kind, address, text, file, line, inlined } of rows) {
    const place = placeText(file, line, folder)
    if (kind === 'instruction' && place !== before && place !== '') {
      lines.push(`${place}:`)
      before = place
    }
    const indent = kind === 'instruction' ? `  ${address.padStart(8)}  ` : ''
    lines.push(`${indent}${text}${inlined === '' ? '' : `    ; ${inlined}`}`)
  }
  return lines
}

export const verb = defineVerb({
  name: 'assembly',
  order: 13,
  description: 'build, and show the instructions of a function, each with its source line',
  argument: projectArgument,
  options: assemblyOptions,
  run: runAssembly,
})
