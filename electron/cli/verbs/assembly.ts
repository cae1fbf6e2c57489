import path from 'node:path'

import type {
  AssemblyForm,
  AssemblyFunction,
  AssemblyListing,
  AssemblyReport,
} from '../../contract/assembly'
import type { Workbench } from '../../engine/workbench'
import { buildAloud, buildJson } from '../building'
import { exitCodes } from '../exit-codes'
import { flag, jsonFlag, text } from '../options'
import type { OptionValues } from '../options'
import { printError, printJson, printLines, progress } from '../print'
import { defineVerb, projectArgument, refuse } from '../verb'

const assemblyOptions = {
  function: text('<name>', 'its name, or FILE:LINE; without it, the functions are listed'),
  ptx: flag("show a CUDA kernel's PTX"),
  sass: flag("show a CUDA kernel's machine code, where nvdisasm or cuobjdump is installed"),
  json: jsonFlag,
}

/** FILE:LINE in place of a name. */
function choiceOf(named: string): { name: string; file: string; line: number } {
  const place = /^(.+\.\w+):(\d+)$/.exec(named)
  return place
    ? { name: '', file: place[1] ?? '', line: Number(place[2]) }
    : { name: named, file: '', line: 0 }
}

/** `opsmith assembly`: the instructions of one function, each with its line; without a name, the functions there are. */
async function runAssembly(
  workbench: Workbench,
  folder: string,
  options: OptionValues<typeof assemblyOptions>,
): Promise<number> {
  const { json } = options
  if (options.ptx && options.sass) {
    return refuse('Give --ptx or --sass, not both.', json)
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
  const report = await assemblies.show(folder, { form, ...choiceOf(options.function) })
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

export const verb = defineVerb({
  name: 'assembly',
  order: 12,
  description: 'build, and show the instructions of a function, each with its source line',
  argument: projectArgument,
  options: assemblyOptions,
  run: runAssembly,
})
