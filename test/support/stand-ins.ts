import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { findOnPath } from '../../electron/engine/toolchain/find-on-path'
import { root } from './installation'
import type { TestCache } from './installation'

/** The stand-ins for NVIDIA's libraries (test/cases/stand-ins), by what each is built with. */
const libraries = {
  driver: { source: 'cuda.c', name: 'libcuda.so.1', flags: [] },
  nvml: { source: 'nvml.c', name: 'libnvidia-ml.so.1', flags: [] },
  'nvml of old': { source: 'nvml.c', name: 'libnvidia-ml.so.1', flags: ['-DOLD_NAMES'] },
  cupti: { source: 'cupti.c', name: 'libcupti.so.12', flags: [] },
} satisfies Record<string, { source: string; name: string; flags: string[] }>

export type StandIn = keyof typeof libraries

/** What stand-ins answer, by name: see stand_in.h. It can be changed while an op host runs. */
export type StandInState = Record<string, number>

export interface StandIns {
  /** For LD_LIBRARY_PATH. */
  folder: string
  /** For the processes that shall load them. */
  environment: Record<string, string>
  state: (now: StandInState) => void
  /** How often the part of the L2 cache that persists was given back. */
  resets: () => number
}

/** Builds libraries that answer as NVIDIA's do into a folder of their own. */
export function buildStandIns(cache: TestCache, wanted: readonly StandIn[]): StandIns {
  const folder = fs.mkdtempSync(path.join(cache.home, 'stand-ins-'))
  const compiler = ['cc', 'gcc', 'clang', 'clang-19'].flatMap((one) => findOnPath(one) ?? [])[0]
  if (compiler === undefined) throw new Error('there is no C compiler')
  for (const one of wanted) {
    const { source, name, flags } = libraries[one]
    const file = path.join(root, 'test/cases/stand-ins', source)
    const made = ['-o', path.join(folder, name), `-Wl,-soname,${name}`]
    execFileSync(compiler, ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', ...flags, file, ...made])
  }
  const state = path.join(folder, 'state')
  const resets = path.join(folder, 'resets')
  for (const file of [state, resets]) fs.writeFileSync(file, '')
  return {
    folder,
    environment: {
      LD_LIBRARY_PATH: folder,
      STAND_IN_STATE: state,
      STAND_IN_RESETS: resets,
    },
    state: (now) => {
      const lines = Object.entries(now).map(([name, value]) => `${name} ${value}\n`)
      // At once: an op host may read it meanwhile.
      fs.writeFileSync(`${state}.new`, lines.join(''))
      fs.renameSync(`${state}.new`, state)
    },
    resets: () => fs.readFileSync(resets, 'utf8').split('\n').length - 1,
  }
}

/** An executable script in a folder of its own, which is returned: nvidia-smi or nvcc as a test wants it. */
export function scriptFolder(cache: TestCache, name: string, script: string): string {
  const folder = fs.mkdtempSync(path.join(cache.home, 'bin-'))
  fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return folder
}
