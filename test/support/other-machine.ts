import fs from 'node:fs'
import path from 'node:path'

import type { Target } from '../../electron/contract/settings'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { makeTestCache } from './installation'
import type { TestCache } from './installation'
import { opsmithProgram } from './targets'

/** A shell of this machine with a home, settings and an `opsmith` of its own. */
export interface OtherMachine {
  cache: TestCache
  /** For `targets` of the settings here. */
  target: Extract<Target, { command: string[] }>
  /** The process of the engine that is served now; undefined for none. */
  enginePid(): number | undefined
  /** The process that connects with it; undefined for none. */
  connectionPid(): number | undefined
}

/** Nothing is trusted there. */
export async function makeOtherMachine(): Promise<OtherMachine> {
  const cache = makeTestCache()
  fs.rmSync(path.join(cache.places.dataFolder, 'trust.json'))
  await changeSettings(cache.places.configFolder, { hotCompile: false, codeHelp: false })
  const bin = path.dirname(opsmithProgram(cache))
  const variables = Object.entries({ ...cache.environment, HOME: cache.home })
  const command = [
    'env',
    ...variables.map(([key, value]) => `${key}=${value}`),
    `PATH=${bin}:${process.env['PATH'] ?? ''}`,
    'sh',
  ]
  const served = (word: string): number | undefined =>
    processOf(
      (words, environment) =>
        words.includes('serve') && words.includes(word) && environment.includes(cache.home),
    )
  return {
    cache,
    target: { command, folder: cache.home },
    enginePid: () => served('--engine'),
    connectionPid: () => served('--stdio'),
  }
}

/** The process whose command line and environment are these; undefined for none. */
export function processOf(
  isIt: (words: string[], environment: string) => boolean,
): number | undefined {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found = pids.map(Number).filter((pid) => {
    try {
      const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return isIt(words, fs.readFileSync(`/proc/${pid}/environ`, 'utf8'))
    } catch {
      // It has ended.
      return false
    }
  })
  // A child has them too until it becomes another program, and its number may be the smaller one.
  return found.sort((a, b) => startOf(a) - startOf(b))[0]
}

function startOf(pid: number): number {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return Infinity
  }
}
