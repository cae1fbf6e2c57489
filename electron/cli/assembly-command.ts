import path from 'node:path'

import type {
  AssemblyForm,
  AssemblyFunction,
  AssemblyListing,
  AssemblyReport,
} from '../contract/assembly'
import { err } from '../contract/outcome'
import type { Workbench } from '../engine/workbench'
import { buildAloud, buildJson } from './build-command'
import { exitCodes } from './exit-codes'
import { printError, printJson, printLines, progress } from './print'

export interface GivenAssemblyOptions {
  function?: string
  ptx?: boolean
  sass?: boolean
  json?: boolean
}

/** FILE:LINE in place of a name. */
function choiceOf(named: string): { name: string; file: string; line: number } {
  const place = /^(.+\.\w+):(\d+)$/.exec(named)
  return place
    ? { name: '', file: place[1] ?? '', line: Number(place[2]) }
    : { name: named, file: '', line: 0 }
}

/** `opsmith assembly`: the instructions of one function, each with its line; without a name, the functions there are. */
export async function runAssembly(
  workbench: Workbench,
  folder: string,
  given: GivenAssemblyOptions,
): Promise<number> {
  const json = given.json ?? false
  if (given.ptx && given.sass) {
    return printError(err('request.invalid', 'Give --ptx or --sass, not both.').error, json)
  }
  const form: AssemblyForm = given.ptx ? 'ptx' : given.sass ? 'sass' : 'machine'
  const build = await buildAloud(workbench, folder)
  if (!build.ok) return printError(build.error, json)
  if (!build.value.ok) {
    if (json) printJson({ ok: false, build: buildJson(build.value) })
    progress('the build failed')
    return exitCodes.failed
  }
  const { assemblies } = workbench
  if (given.function === undefined) {
    const listing = await assemblies.list(folder, form)
    if (!listing.ok) return printError(listing.error, json)
    if (json) printJson(listing.value)
    else printLines(listingText(listing.value, form, folder))
    return exitCodes.good
  }
  const report = await assemblies.show(folder, { form, ...choiceOf(given.function) })
  if (!report.ok) return printError(report.error, json)
  if (json) printJson(report.value)
  else printLines(assemblyText(report.value, folder))
  return exitCodes.good
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
