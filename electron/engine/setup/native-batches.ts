// Which sources of native/ can be compiled as one: a compiler reads libtorch's headers once a batch then,
// and they cost more than the sources themselves.
import fs from 'node:fs'
import path from 'node:path'

/** Code between `namespace {` and its end; clang-format puts both at the start of a line. */
const anonymousPart = /^namespace \{$([\s\S]*?)^\} {2}\/\/ namespace$/gm

/** A declaration at the start of a line; the name is in one of the groups. */
const declaration =
  /^(?:using (\w+) = .*|namespace (\w+) = .*|(?:struct|class|enum class|enum|union) (\w+).*|(?!using |template|namespace )(?=[A-Za-z_[])(?:[^(={;\n]*[\s&*>])?(\w+)\s*[(={;[].*)$/gm

/** Names of declarations; of an alias, which may stand twice when it is the same, with its text. */
function declarations(text: string, found = new Map<string, string>()): Map<string, string> {
  for (const [line, alias, namespaceAlias, type, name] of text.matchAll(declaration)) {
    const isAlias = alias ?? namespaceAlias
    const key = isAlias ?? type ?? name
    if (key) found.set(key, isAlias ? line : '')
  }
  return found
}

/** What a source declares for itself alone. */
function ownDeclarations(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, part = ''] of text.matchAll(anonymousPart)) declarations(part, found)
  for (const [, name = ''] of text.matchAll(/^#define (\w+)/gm)) found.set(name, '')
  return found
}

/** The file that `#include "name"` means: beside the source, or from a folder above it. */
function findIncluded(name: string, from: string): string | undefined {
  for (let folder = path.dirname(from); ; folder = path.dirname(folder)) {
    const file = path.join(folder, name)
    if (fs.existsSync(file)) return file
    if (folder === path.dirname(folder)) return undefined
  }
}

/** Our own headers that a source includes, and what they include. */
function headersOf(file: string, text: string, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of text.matchAll(/^#include "(.+)"/gm)) {
    const header = findIncluded(name, file)
    if (!header || found.has(header)) continue
    found.add(header)
    headersOf(header, fs.readFileSync(header, 'utf8'), found)
  }
  return found
}

function clash(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  for (const [name, text] of one) {
    const theirs = other.get(name)
    if (theirs !== undefined && (text === '' || text !== theirs)) return true
  }
  return false
}

interface Source {
  file: string
  length: number
  own: Map<string, string>
  included: Map<string, string>
}

/** Whether two sources cannot be one: a name that is one's own is the other's too, or its headers'. */
function exclude(one: Source, other: Source): boolean {
  return (
    clash(one.own, other.own) || clash(one.own, other.included) || clash(other.own, one.included)
  )
}

/**
 * Divides sources into batches of about the same length in which nothing is declared twice; more than `count`
 * where names clash.
 * @param files absolute paths
 */
export function makeBatches(files: readonly string[], count: number): string[][] {
  const sources = files.map((file): Source => {
    const text = fs.readFileSync(file, 'utf8')
    const included = new Map<string, string>()
    for (const header of headersOf(file, text))
      declarations(fs.readFileSync(header, 'utf8'), included)
    return { file, length: text.length, own: ownDeclarations(text), included }
  })
  const excluded = new Map(
    sources.map((one) => [one, sources.filter((other) => other !== one && exclude(one, other))]),
  )
  const clashesOf = (source: Source): number => excluded.get(source)?.length ?? 0
  // Those that clash most choose first: fewer batches come of it.
  sources.sort(
    (a, b) => clashesOf(b) - clashesOf(a) || b.length - a.length || (a.file < b.file ? -1 : 1),
  )
  const batches = Array.from(
    { length: Math.min(count, files.length) },
    (): { length: number; sources: Source[] } => ({ length: 0, sources: [] }),
  )
  for (const source of sources) {
    const free = batches.filter(
      (batch) => !batch.sources.some((one) => excluded.get(source)?.includes(one)),
    )
    free.sort((a, b) => a.length - b.length)
    let [chosen] = free
    if (!chosen) batches.push((chosen = { length: 0, sources: [] }))
    chosen.sources.push(source)
    chosen.length += source.length
  }
  return batches.map((batch) => batch.sources.map((source) => source.file).sort())
}

/** One source that is all of these. */
export function batchText(files: readonly string[]): string {
  return files.map((file) => `#include "${file}"\n`).join('')
}

/**
 * Batches of several groups of sources; those of an earlier time where they still hold, so that an edit
 * recompiles one batch.
 * @param groups sources that may be together
 * @param counts batches of each group
 */
export function keepBatches(
  earlier: string[][] | undefined,
  groups: readonly string[][],
  counts: readonly number[],
): string[][] {
  const same = (one: readonly string[], other: readonly string[]): boolean =>
    one.slice().sort().join('\n') === other.slice().sort().join('\n')
  if (
    earlier &&
    same(earlier.flat(), groups.flat()) &&
    earlier.every((batch) => makeBatches(batch, 1).length === 1)
  )
    return earlier
  return groups.flatMap((files, index) => makeBatches(files, counts[index] ?? 1))
}
