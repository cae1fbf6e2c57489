import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import type { AssemblyForm, AssemblyReport } from '../../../contract/assembly'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { CompileTask } from '../../compile/compile-task'
import type { Toolchain } from '../../toolchain/choose'
import { findCudaTool } from '../../toolchain/cuda-tools'
import { compileLimits, runProcess } from '../../toolchain/run-command'
import { demangled } from './demangle'
import { withTitle } from './function-names'
import { meaningsOf } from './instruction-meanings'
import { deviceMix, resourcesOfKernel } from './instruction-mix'
import { parsePtx, parseSass } from './parse-device-code'
import type { DeviceFunction } from './parse-device-code'
import { deviceRows } from './rows'
import type { Places } from './rows'
import { askTool } from './tools'

export type DeviceForm = Exclude<AssemblyForm, 'machine'>

/** Options that name architectures, or that only make sense with an object. */
const dropped = /^(-gencode|--generate-code|-arch|--gpu-architecture|-code|--gpu-code)(=|$)/
const takesNext = new Set([
  '-gencode',
  '--generate-code',
  '-arch',
  '--gpu-architecture',
  '-code',
  '--gpu-code',
])

/** The flags of a compile without its architectures, and the first one they name: "90", "" for nvcc's own. */
export function withoutArchitectures(args: readonly string[]): { args: string[]; first: string } {
  const kept: string[] = []
  let first = ''
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    if (!dropped.test(arg)) {
      kept.push(arg)
      continue
    }
    let value = arg
    if (takesNext.has(arg)) {
      index += 1
      value = args[index] ?? ''
    }
    if (first === '') first = /(?:compute|sm)_(\d+\w?)/.exec(value)?.[1] ?? ''
  }
  return { args: kept, first }
}

/** Why SASS cannot be shown here; "" when it can. */
export function whyNoSass(toolchain: Toolchain): string {
  return findDisassembler(toolchain) === undefined
    ? 'SASS needs nvdisasm or cuobjdump, but neither is installed. Install cuda-nvdisasm or cuda-cuobjdump from the CUDA toolkit. Or install Triton, which contains both tools, in the Python of this libtorch: pip install triton.'
    : ''
}

function findDisassembler(toolchain: Toolchain): { tool: string; args: string[] } | undefined {
  const nvdisasm = findCudaTool('nvdisasm', toolchain)
  if (nvdisasm !== undefined) return { tool: nvdisasm, args: ['-c', '-gi'] }
  const cuobjdump = findCudaTool('cuobjdump', toolchain)
  // It knows no lines.
  return cuobjdump === undefined ? undefined : { tool: cuobjdump, args: ['-sass'] }
}

type DeviceOptions = {
  folder: string
  toolchain: Toolchain
  places: Places
  signal: AbortSignal | undefined
}

/** The kernels and device functions of one CUDA source, as its compile would make them. */
export async function deviceCode(
  task: CompileTask,
  form: DeviceForm,
  { folder, toolchain, places, signal }: DeviceOptions,
): Promise<Result<AssemblyReport[]>> {
  const disassembler = findDisassembler(toolchain)
  if (form === 'sass' && !disassembler) return err('toolchain.missing', whyNoSass(toolchain))
  const { args, first } = withoutArchitectures(task.args)
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), `opsmith-assembly-${process.pid}-`))
  try {
    const output = path.join(scratch, form === 'ptx' ? 'code.ptx' : 'code.cubin')
    const architecture = first === '' ? [] : [`-arch=${form === 'ptx' ? 'compute' : 'sm'}_${first}`]
    const made = await runProcess(
      task.command,
      [...args, ...architecture, form === 'ptx' ? '-ptx' : '-cubin', task.source, '-o', output],
      { cwd: folder, limits: compileLimits, signal },
    )
    if (made.stopped === 'cancelled') return err('cancelled', 'The compile was stopped.')
    if (made.exitCode !== 0) {
      return err(
        'build.required',
        `${task.label} does not compile to ${form === 'ptx' ? 'PTX' : 'SASS'}.`,
        {
          hint: 'If you added flags, check the flags. If you added no flags, build the project again: Problems lists the errors.',
          detail: (made.stderr + made.stdout).slice(-8000),
        },
      )
    }
    let text: string
    let tool = path.basename(task.command)
    if (form === 'sass' && disassembler) {
      const said = await askTool(disassembler.tool, [...disassembler.args, output])
      if (!said.ok) return said
      text = said.value
      tool = path.basename(disassembler.tool)
    } else text = fs.readFileSync(output, 'utf8')
    return ok(
      await reportsOf(
        { text, resources: resourcesOfKernel(made.stderr + made.stdout) },
        { form, tool, first },
        path.resolve(folder, task.source),
        places,
      ),
    )
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

async function reportsOf(
  { text, resources }: { text: string; resources: ReturnType<typeof resourcesOfKernel> },
  { form, tool, first }: { form: DeviceForm; tool: string; first: string },
  source: string,
  places: Places,
): Promise<AssemblyReport[]> {
  const functions = form === 'ptx' ? parsePtx(text) : parseSass(text)
  const names = await demangled(functions.map(({ symbol }) => symbol))
  const target =
    /^\s*(?:\.target|code for)\s+(\w+)/m.exec(text)?.[1] ?? (first === '' ? '' : `sm_${first}`)
  return functions.map((code, index) => {
    const name = names[index] ?? code.symbol
    const report = reportOf(code, { form, tool, name, target }, source, places)
    return { ...report, mix: [...report.mix, ...(resources.get(code.symbol) ?? [])] }
  })
}

function reportOf(
  code: DeviceFunction,
  { form, tool, name, target }: { form: DeviceForm; tool: string; name: string; target: string },
  source: string,
  places: Places,
): AssemblyReport {
  const rows = deviceRows(code, places)
  const lines = rows.filter(({ file, line }) => file === source && line > 0)
  const texts = rows.filter(({ kind }) => kind === 'instruction').map((row) => row.text)
  return {
    form,
    function: withTitle({
      name,
      id: code.symbol,
      file: source,
      line: lines.length === 0 ? 0 : Math.min(...lines.map(({ line }) => line)),
      size: 0,
    }),
    rows,
    mix: deviceMix(texts),
    architecture: target,
    tool,
    meanings: meaningsOf(form, texts),
    loops: [],
  }
}
