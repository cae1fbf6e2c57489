import fs from 'node:fs'
import path from 'node:path'

import { z } from 'zod'

import type { Installation } from '../installation'
import { runCompiler } from '../toolchain/run-compiler'
import { commonFlags } from './flags'
import type { CompileTools } from './compile-tools'
import { hashOf } from './result-cache'
import { temporaryBeside } from './sealed-files'
import { locatePrecompiled, usePrecompiled } from './precompiled-headers'

/** A small operator: what is compiled in it is mostly libtorch's. */
const operator = `
#include <ATen/ATen.h>
#include <torch/library.h>
static at::Tensor scaled(const at::Tensor& x, const at::Tensor& y, double alpha) {
  return at::sub(at::mul(x, alpha), y);
}
TORCH_LIBRARY(opsmith_measured, m) { m.def("scaled(Tensor x, Tensor y, float alpha) -> Tensor"); }
TORCH_LIBRARY_IMPL(opsmith_measured, CPU, m) { m.impl("scaled", &scaled); }
`

const times = z.record(z.string(), z.object({ compiler: z.string(), seconds: z.number() }))
/** By compiler and libtorch. */
export type CompileTimes = z.infer<typeof times>

const fileOf = (installation: Installation): string =>
  path.join(installation.cacheFolder, 'compile-times.json')

export function compileTimeKey(compilerIdentity: string, libtorchIdentity: string): string {
  return hashOf(compilerIdentity, libtorchIdentity)
}

/** What was measured on this machine; empty where nothing was. */
export function readCompileTimes(installation: Installation): CompileTimes {
  try {
    const parsed = times.safeParse(JSON.parse(fs.readFileSync(fileOf(installation), 'utf8')))
    return parsed.success ? parsed.data : {}
  } catch {
    return {}
  }
}

/**
 * Compiles a small operator as a build would, by precompiled headers, and keeps the best time that was ever
 * seen for doctor: other work on the machine only adds. Where it fails, nothing: the build will say why.
 *
 * @param again also where a time is known
 */
export async function measureCompile(
  tools: CompileTools,
  again: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { installation, toolchain, includes } = tools
  const { compiler, libtorch } = toolchain
  const key = compileTimeKey(compiler.identity, libtorch.identity)
  const header = locatePrecompiled(tools, 'lean', 'plain')
  if (!header.ready || (!again && key in readCompileTimes(installation))) return
  const folder = temporaryBeside(path.join(installation.cacheFolder, 'objects', 'measured'))
  fs.mkdirSync(folder, { recursive: true })
  try {
    const source = path.join(folder, 'op.cpp')
    fs.writeFileSync(source, operator)
    let best = readCompileTimes(installation)[key]?.seconds ?? Number.POSITIVE_INFINITY
    for (let round = 0; round < 2; round += 1) {
      const result = await runCompiler(
        compiler.path,
        [
          ...usePrecompiled(toolchain, header),
          ...commonFlags(toolchain, includes, 'plain'),
          '-c',
          source,
          '-o',
          path.join(folder, 'op.o'),
        ],
        { signal },
      )
      if (result.exitCode !== 0) return
      best = Math.min(best, result.seconds)
    }
    const file = fileOf(installation)
    const temporary = temporaryBeside(file)
    const name = `${compiler.family} ${compiler.version}`
    const all = { ...readCompileTimes(installation), [key]: { compiler: name, seconds: best } }
    fs.writeFileSync(temporary, `${JSON.stringify(all, null, 2)}\n`)
    fs.renameSync(temporary, file)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
