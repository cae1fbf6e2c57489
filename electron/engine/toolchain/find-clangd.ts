import fs from 'node:fs'
import path from 'node:path'

import type { Finding } from '../../contract/doctor'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { findAllOnPath } from './find-on-path'
import { runProcess } from './run-command'

export interface ClangdProgram {
  path: string
  version: string
  major: number
}

/** The oldest that reads libtorch 2.13's headers and was tried. */
export const oldestClangd = 14
/** From here on it gives inlay hints as the protocol has them. */
const goodClangd = 15
export const installClangd = 'apt-get install clangd-19'

const known = new Map<string, Promise<ClangdProgram | undefined>>()

/** What the executable is; undefined when it is no clangd. Asked once for each version on disk. */
async function describe(file: string): Promise<ClangdProgram | undefined> {
  let stamp: string
  try {
    const real = fs.realpathSync(file)
    const stat = fs.statSync(real)
    stamp = `${real}:${stat.size}:${Math.trunc(stat.mtimeMs)}`
  } catch {
    return undefined
  }
  let answer = known.get(stamp)
  if (!answer) {
    answer = runProcess(file, ['--version']).then((result) => {
      const version = /clangd version (\d+[\d.]*)/.exec(result.stdout)?.[1]
      return result.exitCode === 0 && version !== undefined
        ? { path: file, version, major: Number.parseInt(version, 10) }
        : undefined
    })
    known.set(stamp, answer)
  }
  return await answer
}

/** All on PATH, the newest first. */
export async function clangdsOnPath(): Promise<ClangdProgram[]> {
  const all = await Promise.all(findAllOnPath(/^clangd(-\d+)?$/).map(describe))
  return all.filter((one) => one !== undefined).sort((a, b) => b.major - a.major)
}

const tooOld = (clangd: ClangdProgram): string =>
  `clangd ${clangd.version} is too old: ${oldestClangd} or newer is needed`

/**
 * The clangd that the editor works with.
 * @param chosen by the user's settings; "" takes the newest on PATH
 */
export async function findClangd(chosen: string): Promise<Result<ClangdProgram>> {
  if (chosen !== '') {
    const named = path.isAbsolute(chosen) ? await describe(chosen) : undefined
    if (!named) {
      return err(
        'toolchain.missing',
        path.isAbsolute(chosen)
          ? `${chosen}, the chosen clangd, does not run on this machine, or is not clangd.`
          : `${chosen}, the chosen clangd, is not an absolute path.`,
        {
          hint: 'Choose another clangd in Settings, or clear the field to use the clangd on PATH.',
        },
      )
    }
    return named.major >= oldestClangd
      ? ok(named)
      : err('toolchain.mismatch', `${tooOld(named)}.`, { hint: installClangd })
  }
  const [best] = await clangdsOnPath()
  if (!best) {
    return err(
      'toolchain.missing',
      'clangd is not installed, so the editor has no completion and no diagnostics for C++.',
      {
        hint: installClangd,
      },
    )
  }
  return best.major >= oldestClangd
    ? ok(best)
    : err('toolchain.mismatch', `${tooOld(best)}.`, { hint: installClangd })
}

const blank = { kind: 'tool', remedy: '', why: '', facts: [], chosen: false } as const

/** clangd as doctor lists it: without it, builds and runs are what they were. */
export async function clangdFinding(chosen: string): Promise<Finding> {
  const clangd = await findClangd(chosen)
  if (!clangd.ok) {
    return {
      ...blank,
      facts: [],
      name: 'clangd',
      path: chosen,
      version: '',
      judgement: chosen === '' ? 'absent' : 'warning',
      why:
        clangd.error.code === 'toolchain.missing' && chosen === ''
          ? 'no completion, hover, go to definition or rename in C++; builds are not affected'
          : clangd.error.message,
      remedy: clangd.error.hint ?? '',
    }
  }
  const { version, major } = clangd.value
  const old = major < goodClangd
  return {
    ...blank,
    facts: [],
    name: `clangd ${version}`,
    path: clangd.value.path,
    version,
    judgement: old ? 'warning' : 'usable',
    why: old ? `clangd ${major} has no inlay hints; everything else works` : '',
    remedy: old ? installClangd : '',
    chosen: true,
  }
}
