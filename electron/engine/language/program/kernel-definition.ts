import fs from 'node:fs/promises'
import path from 'node:path'

import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { findFunction } from '../../project/scan-source'
import { insideProject } from '../../project/inside'
import { resolveSources } from '../../project/sources'
import { readManifest } from '../../project/read-manifest'

export interface CodePlace {
  file: string
  line: number
}

/** The statement that begins on a line, up to its semicolon. */
function statementAt(text: string, line: number): string {
  const rest = text
    .split('\n')
    .slice(line - 1, line + 11)
    .join('\n')
  const end = rest.indexOf(';')
  return end < 0 ? rest : rest.slice(0, end)
}

/** The function that a registration gives to the dispatcher: `&f`, `ns::f`, `TORCH_FN(f)`; "" for a lambda. */
export function registeredFunction(statement: string): string {
  const call = /\b(?:def|impl)\s*\(([\s\S]*)$/.exec(statement)?.[1] ?? ''
  // Behind the name or schema; what is left of it may be wrapped in macros and templates.
  const after = call.replace(/"(?:[^"\\]|\\.)*"/g, '')
  if (/^[\s,]*\[[^\]]*\]\s*[({]/.test(after)) return ''
  const name = '((?:[A-Za-z_]\\w*\\s*::\\s*)*[A-Za-z_]\\w*)'
  const wrapped = new RegExp(`\\bTORCH_(?:FN|BOX)\\s*\\(\\s*&?\\s*${name}`).exec(after)
  const taken = new RegExp(`&\\s*${name}`).exec(after)
  const words = [...after.matchAll(new RegExp(name, 'g'))].map(([word]) => word)
  const plain = words.find((word) => !/^(?:c10|torch|at|py|pybind11)\s*::/.test(word))
  return (wrapped?.[1] ?? taken?.[1] ?? plain ?? '').replace(/\s/g, '')
}

/**
 * Where the function stands that is registered at a line; that line itself where it cannot be told,
 * as for a lambda.
 */
export async function kernelDefinition(
  folder: string,
  registration: CodePlace,
): Promise<Result<CodePlace>> {
  const own = await insideProject(
    folder,
    path.relative(folder, path.resolve(folder, registration.file)),
  )
  if (!own.ok) return own
  const here = { file: own.value, line: registration.line }
  const text = await fs.readFile(own.value, 'utf8').catch(() => '')
  const name = registeredFunction(statementAt(text, registration.line))
  if (name === '') return ok(here)
  const manifest = await readManifest(folder)
  if (!manifest.ok) return manifest
  const sources = await resolveSources(folder, manifest.value)
  if (!sources.ok) return sources
  const files = [own.value, ...sources.value.plain.map((source) => path.join(folder, source))]
  let declared: CodePlace | undefined
  for (const file of new Set(files)) {
    const source = await fs.readFile(file, 'utf8').catch(() => '')
    const found = findFunction(source, name)
    if (!found) continue
    if (found.isDefinition) return ok({ file, line: found.line })
    declared ??= { file, line: found.line }
  }
  return ok(declared ?? here)
}
