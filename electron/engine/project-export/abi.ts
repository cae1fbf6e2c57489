import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import type { AbiReport } from '../../contract/export'
import type { Toolchain } from '../toolchain/choose'
import { findCudaTool } from '../toolchain/cuda-tools'
import { runProcess } from '../toolchain/run-command'
import { ElfFile, highestVersion } from './elf'
import { minorVersion } from './exported-project'
import { codeBlock, markdown } from './templates/readme'

/** Which GPUs the device code in a library is for, asked of CUDA's own tool. */
async function cudaArchitectures(file: string, toolchain: Toolchain): Promise<string[]> {
  const tool = findCudaTool('cuobjdump', toolchain)
  if (tool === undefined) return ['unknown (cuobjdump is not installed)']
  const listed = await Promise.all(
    ['--list-elf', '--list-ptx'].map((option) => runProcess(tool, [option, file])),
  )
  const found = listed.flatMap(({ stdout }, index) =>
    [...stdout.matchAll(/\.sm_(\w+)\./g)].map(
      (match) => `${index === 0 ? 'sm' : 'compute'}_${match[1] ?? ''}`,
    ),
  )
  return [...new Set(found)].sort()
}

/** What a library asks of a machine, read off the file itself. */
export async function readAbi(
  library: Buffer,
  name: string,
  toolchain: Toolchain,
): Promise<AbiReport> {
  const facts = new ElfFile(library).facts()
  const { libtorch } = toolchain
  let cuda: string[] = []
  if (facts.sections.includes('.nv_fatbin')) {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), `opsmith-abi-${process.pid}-`))
    const file = path.join(folder, name)
    await fs.writeFile(file, library)
    cuda = await cudaArchitectures(file, toolchain)
    await fs.rm(folder, { recursive: true, force: true })
  }
  return {
    library: name,
    architecture: facts.architecture,
    libtorch: libtorch.version,
    minimumLibtorch: minorVersion(libtorch.version),
    cxx11Abi: libtorch.cxx11Abi,
    glibc: highestVersion(facts, 'GLIBC'),
    glibcxx: highestVersion(facts, 'GLIBCXX'),
    cxxabi: highestVersion(facts, 'CXXABI'),
    needed: facts.needed,
    runPath: facts.runPath,
    cudaArchitectures: cuda,
    bytes: library.length,
  }
}

/** g++ that first came with each GLIBCXX: https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html */
const compilers: Record<string, string> = {
  '3.4.21': '5.1',
  '3.4.22': '6.1',
  '3.4.23': '7.1',
  '3.4.24': '7.2',
  '3.4.25': '8.1',
  '3.4.26': '9.1',
  '3.4.27': '9.2',
  '3.4.28': '9.3',
  '3.4.29': '11.1',
  '3.4.30': '12.1',
  '3.4.31': '13.1',
  '3.4.32': '13.2',
  '3.4.33': '14.1',
}

/** ABI.md: the report for people, with what to set where the library will run. */
export function abiText(abi: AbiReport): string {
  const gcc = compilers[abi.glibcxx]
  const versions = [
    ['Architecture', abi.architecture],
    ['libtorch', `${abi.minimumLibtorch}.x, built with ${abi.libtorch}`],
    ['C++ ABI', `_GLIBCXX_USE_CXX11_ABI=${abi.cxx11Abi ? 1 : 0}`],
    ['glibc', abi.glibc === '' ? 'any' : `${abi.glibc} or newer`],
    [
      'libstdc++',
      abi.glibcxx === ''
        ? 'any'
        : `GLIBCXX_${abi.glibcxx} or newer${gcc === undefined ? '' : ` (g++ ${gcc} or newer)`}`,
    ],
    ['C++ runtime', abi.cxxabi === '' ? 'any' : `CXXABI_${abi.cxxabi} or newer`],
    ['CUDA architectures', abi.cudaArchitectures.join(', ') || 'none: no device code'],
    ['Needed libraries', abi.needed.map((name) => `\`${name}\``).join(', ')],
    ['Run-path', abi.runPath.map((one) => `\`${one}\``).join(', ') || 'none'],
  ]
  return markdown(
    `# What ${abi.library} needs`,
    ['| | |', '|---|---|', ...versions.map(([name, value]) => `| ${name} | ${value} |`)],
    'libtorch keeps its C++ ABI only within a minor version. For another minor version, compile the sources again.',
    '## Loading',
    'In Python, `import torch` loads libtorch before this library: there is nothing to set. In a C++ program, the loader looks for libtorch next to this library (its run-path is `$ORIGIN`) and in `LD_LIBRARY_PATH`:',
    codeBlock('shell', 'export LD_LIBRARY_PATH=/path/to/this/folder:/path/to/torch/lib'),
    'If the loader reports that a version of `GLIBCXX_` or `CXXABI_` is not found, it loaded an older libstdc++, often from a conda environment. Put the folder of the newer libstdc++ first in `LD_LIBRARY_PATH`, or install `libstdcxx-ng` in the environment.',
    '## Linking',
    'Programs call the operators through the dispatcher and use no symbols of the library, so the linker drops the library. To keep the library, put `-Wl,--no-as-needed` before it:',
    codeBlock(
      'shell',
      `c++ main.o -L. -Wl,--no-as-needed -l${abi.library.replace(/^lib|\.so$/g, '')} -Wl,--as-needed -L/path/to/torch/lib -ltorch -ltorch_cpu -lc10`,
    ),
  )
}
