import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import type { AssemblyFunction, AssemblyReport } from '../../../contract/assembly'
import { err } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { CompileTask } from '../../compile/compile-task'
import type { BuildPlan } from '../../compile/plan'
import { isCuda } from '../../project/sources'
import { runCompiler } from '../../toolchain/run-compiler'
import { counterpart } from './compare'
import { MachineCode } from './machine-code'
import type { Places } from './rows'

/** The compiles of one source; of all C++ sources for a header, which may be in any of them. */
export function tasksOf({ compiles }: BuildPlan, folder: string, file: string): CompileTask[] {
  const own = compiles.filter(({ source }) => !isCuda(source))
  const isOf = ({ source, around }: CompileTask): boolean =>
    path.resolve(folder, around ?? source) === file
  const exact = own.filter(isOf)
  return exact.length > 0 ? exact : own
}

type CompileOptions = {
  folder: string
  object: string
  flags: readonly string[]
  signal: AbortSignal | undefined
}

/** Runs one compile of a plan. Errors: it does not compile, with what the compiler says; cancelled. */
export async function compileTo(
  task: CompileTask,
  { folder, object, flags, signal }: CompileOptions,
): Promise<Result<string>> {
  const made = await runCompiler(
    task.command,
    [...task.args, ...flags, '-c', task.source, '-o', object],
    { cwd: folder, signal },
  )
  if (made.stopped === 'cancelled') return err('cancelled', 'The compile was stopped.')
  if (made.exitCode === 0) return { ok: true, value: made.stderr }
  return err('build.required', `${task.label} does not compile.`, {
    hint: 'If you added flags, check the flags. If you added no flags, build the project again: the build lists the errors.',
    detail: (made.stderr + made.stdout).slice(-8000),
  })
}

type UnderPlanOptions = {
  folder: string
  places: Places
  label: string
  signal: AbortSignal | undefined
}

/** The function as the sources of now make it under this plan, which has more flags. Nothing of the project changes. */
export async function functionUnderPlan(
  plan: BuildPlan,
  wanted: AssemblyFunction,
  { folder, places, label, signal }: UnderPlanOptions,
): Promise<Result<AssemblyReport>> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), `opsmith-assembly-${process.pid}-`))
  try {
    const objects: string[] = []
    for (const task of tasksOf(plan, folder, wanted.file)) {
      const object = path.join(scratch, `${objects.length}.o`)
      const made = await compileTo(task, { folder, object, flags: [], signal })
      if (!made.ok) return made
      objects.push(object)
    }
    // Linked, each function has an address of its own. It is only read: what it calls may be missing.
    const library = path.join(scratch, 'code.so')
    const linker = plan.link.args.filter((arg) => /^(-fuse-ld=|--ld-path=)/.test(arg))
    const linked = await runCompiler(
      plan.link.command,
      ['-shared', ...linker, '-Wl,--noinhibit-exec', ...objects, '-o', library],
      { cwd: folder, signal },
    )
    if (linked.stopped === 'cancelled') return err('cancelled', 'The link was stopped.')
    if (linked.exitCode !== 0) {
      return err('build.required', `The project does not link with ${label}.`, {
        hint: 'Check the flags and the compiler that you compare with.',
        detail: linked.stderr.slice(-8000),
      })
    }
    const code = new MachineCode(library, places)
    const functions = await code.list()
    if (!functions.ok) return functions
    const found = counterpart(functions.value, wanted, label)
    return found.ok ? await code.show(found.value) : found
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}
