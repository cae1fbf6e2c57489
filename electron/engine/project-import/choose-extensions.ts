import fs from 'node:fs'
import path from 'node:path'

import { manifest } from '../../contract/manifest'
import { pybindModules, withoutComments } from '../project/scan-source'
import { baseOf, sourcesOf } from './paired-extensions'
import type { ExtensionPair } from './paired-extensions'

function sourceText(folder: string, { cpu, cuda }: ExtensionPair, source: string): string {
  const proposed = cpu?.files?.get(source) ?? cuda?.files?.get(source)
  try {
    return withoutComments(proposed ?? fs.readFileSync(path.resolve(folder, source), 'utf8'))
  } catch {
    return ''
  }
}

/** What only one source of a library may define: the namespaces of TORCH_LIBRARY, Python's module. */
function definedOnce(folder: string, pair: ExtensionPair): string[] {
  const bound = baseOf(pair).inline?.functions.map((name) => `function ${name}`) ?? []
  const inSources = sourcesOf(pair).flatMap((source) => {
    const text = sourceText(folder, pair, source)
    const blocks = [...text.matchAll(/\bTORCH_LIBRARY\s*\(\s*(\w+)/g)].map(
      ([, name = '']) => `library ${name}`,
    )
    const modules = pybindModules(text).map(() => 'module')
    return [...blocks, ...modules]
  })
  return [...bound, ...inSources]
}

/** How the sources are compiled and linked, as a text that can be compared. */
function compiledAs(pair: ExtensionPair): string {
  return JSON.stringify(
    [pair.cpu, pair.cuda].map((one) =>
      one ? [one.macros, one.undefined, one.flags, one.libraries, one.linkFlags] : null,
    ),
  )
}

/** Whether extensions can be one library: compiled in the same way, and nothing is defined twice. */
function fitTogether(folder: string, pairs: readonly ExtensionPair[]): boolean {
  const names = pairs.flatMap((pair) => [...new Set(definedOnce(folder, pair))])
  return new Set(pairs.map(compiledAs)).size === 1 && new Set(names).size === names.length
}

export interface ChosenExtensions {
  /** What the project is made of. */
  chosen: ExtensionPair[]
  others: ExtensionPair[]
}

/**
 * The extensions that become one project: the one that was asked for, else all where they can be one library,
 * else the first. Undefined where none has the name.
 * @param asked the name of an extension or its last part; "" for none
 */
export function chooseExtensions(
  folder: string,
  pairs: readonly ExtensionPair[],
  asked: string,
): ChosenExtensions | undefined {
  const without = (one: ExtensionPair): ExtensionPair[] => pairs.filter((other) => other !== one)
  if (asked !== '') {
    const named = pairs.find(({ name }) => name === asked || name.split('.').at(-1) === asked)
    return named && { chosen: [named], others: without(named) }
  }
  if (fitTogether(folder, pairs)) return { chosen: [...pairs], others: [] }
  const [first] = pairs
  return first && { chosen: [first], others: without(first) }
}

/** Names of extensions that say nothing of what is in them. */
const plainName = /^(_.*|ops|ext|extension|cuda|cpu|core|native|backend)$/i

/** The name of the project: that of the extension, or of its package where many extensions have that name. */
export function projectName(
  pairs: readonly ExtensionPair[],
  packageName: string,
  folder: string,
): string {
  const [first] = pairs
  const parts = first ? baseOf(first).name.split('.') : []
  const last = parts.at(-1) ?? ''
  const own = pairs.length === 1 && last !== '' && !plainName.test(last) ? last : undefined
  const parent = parts.slice(0, -1).findLast((part) => !plainName.test(part))
  const named = own ?? parent ?? (packageName === '' ? path.basename(folder) : packageName)
  const identifier = named.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^(?=\d)/, '_')
  return manifest.shape.name.safeParse(identifier).success ? identifier : `${identifier}_ops`
}
