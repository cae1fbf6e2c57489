import fs from 'node:fs'
import path from 'node:path'

import { manifestFileName } from '../../contract/manifest'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import {
  boundFunctions,
  findFunction,
  parameterNames,
  pybindModules,
  withoutComments,
} from '../project/scan-source'
import type { Installation } from '../installation'
import { hashOf } from './result-cache'
import { temporaryBeside } from './sealed-files'
import { manifestFileOf } from '../project/manifest-place'

export interface SourceText {
  /** Absolute path. */
  file: string
  /** Relative to the project: what the compiler is given, so that nothing built names this machine. */
  relative: string
  text: string
}

const literal = (text: string): string => JSON.stringify(text)

/** Sources in which a function of `functions` is defined, so that each can be bound beside its definition. */
export function placeFunctions(
  folder: string,
  manifest: Manifest,
  sources: readonly SourceText[],
): Result<Map<string, string[]>> {
  const placed = new Map<string, string[]>()
  for (const [index, name] of manifest.functions.entries()) {
    const source = sources.find((candidate) => {
      const names = parameterNames(candidate.text, name)
      return (
        names !== undefined && new RegExp(`\\b${name}\\s*\\(`).test(withoutComments(candidate.text))
      )
    })
    if (!source) {
      return err(
        'project.invalid',
        `opsmith.json, functions[${index}]: no source defines a function named ${name}.`,
        {
          path: `functions[${index}]`,
          file: manifestFileOf(folder),
          hint: 'Use the name of a function in the sources.',
        },
      )
    }
    placed.set(source.file, [...(placed.get(source.file) ?? []), name])
  }
  return ok(placed)
}

/** As load_inline does: the source as it is, then a binding of the functions named; same file names and lines in messages. */
export function bindingAround(
  manifest: Manifest,
  source: SourceText,
  functions: readonly string[],
): string {
  // The place goes with the name, so that the kernel leads to its source and not to this file.
  const defs = functions.map((name) => {
    const line = findFunction(source.text, name)?.line ?? 1
    return `  m.def({${literal(name)}, ${literal(source.relative)}, ${line}}, &${name});`
  })
  return [
    '#include <torch/extension.h>',
    `#include ${literal(source.relative)}`,
    `PYBIND11_MODULE(${manifest.name}, m) {`,
    ...defs,
    '}',
    '',
  ].join('\n')
}

/**
 * The translation unit that is linked last: C++ parameter names for the schemas of bound functions,
 * and the differentiable operators of `autograd`. "" when there is nothing to say.
 */
export function registrationUnit(
  manifest: Manifest,
  sources: readonly SourceText[],
  autogradLines: readonly number[],
): string {
  const named = new Map<string, string[]>()
  for (const source of sources) {
    if (pybindModules(source.text).length === 0) continue
    for (const { name, cppName } of boundFunctions(source.text)) {
      const names = sources
        .map((candidate) => parameterNames(candidate.text, cppName))
        .find((found) => found !== undefined)
      if (names) named.set(name, names)
    }
  }
  for (const name of manifest.functions) {
    const names = sources
      .map((candidate) => parameterNames(candidate.text, name))
      .find((found) => found !== undefined)
    if (names) named.set(name, names)
  }
  const lines: string[] = []
  if (named.size > 0) {
    const table = [...named].map(
      ([name, names]) => `{${literal(name)}, ${literal(names.join(','))}}`,
    )
    lines.push(`OPSMITH_ARGUMENT_NAMES(${table.join(', ')})`)
  }
  for (const [index, entry] of manifest.autograd.entries()) {
    const parts = entry.name.split('::')
    const namespace = parts.length > 1 ? (parts[0] ?? manifest.name) : manifest.name
    const list = (items: readonly (string | null)[]): string =>
      `(${items.map((item) => literal(item ?? '')).join(', ')})`
    lines.push(
      `OPSMITH_AUTOGRAD(${[namespace, parts.at(-1) ?? entry.name, entry.forward, entry.backward].map(literal).join(', ')}, ` +
        `${list(entry.backwardArgs)}, ${list(entry.gradients)}, ${literal(manifestFileName)}, ${autogradLines[index] ?? 1})`,
    )
  }
  return lines.length === 0 ? '' : ['#include <opsmith/binding.h>', ...lines, ''].join('\n')
}

/** Generated sources lie in the cache under their hash, so that equal projects share their objects. */
export function writeGenerated(installation: Installation, name: string, text: string): string {
  const folder = path.join(installation.cacheFolder, 'generated', hashOf(name, text))
  const file = path.join(folder, name)
  if (!hasText(file, text)) {
    fs.mkdirSync(folder, { recursive: true })
    const temporary = temporaryBeside(file)
    fs.writeFileSync(temporary, text)
    fs.renameSync(temporary, file)
  }
  return fs.realpathSync(file)
}

function hasText(file: string, text: string): boolean {
  try {
    return fs.readFileSync(file, 'utf8') === text
  } catch {
    return false
  }
}
