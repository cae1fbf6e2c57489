import os from 'node:os'

import type { ExplainedFailure } from '../../contract/doctor'

/** What a rule reads besides the text: facts of this machine. */
export interface MachineFacts {
  /** Bytes of memory that are free. */
  freeMemory: number
  cores: number
}

export function machineFacts(): MachineFacts {
  return { freeMemory: os.freemem(), cores: os.cpus().length }
}

type Explanation = Omit<ExplainedFailure, 'line' | 'text'>

interface Rule {
  /** In one line of the log. */
  match: RegExp
  /** Somewhere in the log: what tells this failure from others that say the same. */
  within?: RegExp
  explain: (match: RegExpExecArray, log: string, machine: MachineFacts) => Explanation
}

const installAgain = 'pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps .'
const gibibyte = 2 ** 30
/** nvcc's peak in bytes; flash-attention measured 3.2 to 5 GB a thread (Dao-AILab/flash-attention#2079). */
const nvccMemory = 4 * gibibyte

/** "/…/torch_extensions/py311_cu121/my_op" of a file in it. */
function jitFolder(text: string): string {
  return /(\/[^\s'":,]*torch_extensions\/[^\s'":,]*)\/[^/\s'":,]+/.exec(text)?.[1] ?? ''
}

/** "3.11" of the version that a path of the log names; "" for none. */
function pythonVersion(log: string): string {
  return /python(3\.\d+)/.exec(log)?.[1] ?? ''
}

/** The first rule that fits a line explains it. */
const rules: readonly Rule[] = [
  {
    match: /detected CUDA version \((\d[\d.]*)\) mismatches/i,
    explain: ([, toolkit = ''], log) => {
      const torch = /PyTorch \((\d[\d.]*)\)/.exec(log)?.[1] ?? ''
      const ofTorch = torch === '' ? 'another CUDA version' : `CUDA ${torch}`
      return {
        cause: `nvcc is from CUDA ${toolkit}, but torch was built with ${ofTorch}. Both must have the same major version.`,
        remedy: `Install the CUDA toolkit of ${torch === '' ? 'the version that torch was built with' : `version ${torch}`}, or a PyTorch build for CUDA ${toolkit}.`,
        command:
          torch === ''
            ? ''
            : `CUDA_HOME=/usr/local/cuda-${torch} pip install --no-build-isolation .`,
      }
    },
  },
  {
    match: /No module named '?torch'?/,
    within:
      /pip-build-env|build_meta\.py|pyproject_hooks|requirements to build|build dependencies|build_wheel/,
    explain: () => ({
      cause:
        'pip builds in an isolated environment that has no torch. Build isolation hides the torch that you installed.',
      remedy: 'Build in your environment, without build isolation.',
      command: 'pip install --no-build-isolation .',
    }),
  },
  {
    match:
      /\S*torch_extensions.*(?:undefined symbol|cannot open shared object|wrong ELF|invalid ELF)/,
    explain: ([line]) => ({
      cause:
        'The extension in the JIT cache was built for another version of PyTorch or Python, or for another machine. If the sources did not change, load() uses this extension without a check.',
      remedy: 'Remove the extension from the cache: load() then builds the extension again.',
      command: jitFolder(line) === '' ? '' : `rm -rf ${jitFolder(line)}`,
    }),
  },
  {
    match: /undefined symbol: (_ZNK?(?:S\w)?\d*(?:3c10|2at|5torch|4c10d)\w*|\w*(?:c10|torch)\w*)/,
    explain: ([, symbol = '']) => ({
      cause: `The extension was built with another torch. The torch that loads the extension has no ${symbol}.`,
      remedy: 'Build the extension again with the torch that is installed.',
      command: installAgain,
    }),
  },
  {
    match: /list index out of range/,
    within: /_get_cuda_arch_flags|arch_list\[-1\]/,
    explain: () => ({
      cause:
        'TORCH_CUDA_ARCH_LIST is not set, so torch compiles for the GPUs of this machine, but it finds no GPU. This is usual in a container and on a login node.',
      remedy:
        'Set TORCH_CUDA_ARCH_LIST to the architectures of the GPUs that will run the extension.',
      command: 'TORCH_CUDA_ARCH_LIST="8.0;9.0" pip install --no-build-isolation .',
    }),
  },
  {
    match: /Unknown CUDA arch \(([^)]*)\)|nvcc fatal\s*: Unsupported gpu architecture '([^']*)'/,
    explain: ([, torchName, nvccName]) => ({
      cause: `This ${torchName === undefined ? 'nvcc' : 'torch'} cannot build for ${torchName ?? nvccName ?? ''}: the architecture is too new or too old.`,
      remedy: `Set TORCH_CUDA_ARCH_LIST to a supported architecture, or install a ${torchName === undefined ? 'CUDA toolkit' : 'PyTorch'} that supports this architecture.`,
      command: 'TORCH_CUDA_ARCH_LIST="8.0;9.0" pip install --no-build-isolation .',
    }),
  },
  {
    match:
      /died due to signal 9|Killed signal terminated program|^\s*Killed\s*$|clang.*(?:Killed|signal 9)|signal: 9, SIGKILL|exit (?:code|status):? (?:137|-9)\b/,
    explain: (_match, _log, { freeMemory, cores }) => {
      const jobs = Math.max(1, Math.min(cores, Math.floor(freeMemory / nvccMemory)))
      return {
        cause:
          'The compiler was killed because memory ran out: too many compilers ran at once. One nvcc job takes 3 to 5 GB.',
        remedy: `Run fewer compilers at once; ${(freeMemory / gibibyte).toFixed(0)} GiB are free now.`,
        command: `MAX_JOBS=${jobs} pip install --no-build-isolation .`,
      }
    },
  },
  {
    match: /Waited on lock file "([^"]+)"/,
    explain: ([, file = '']) => ({
      cause:
        'load() waits for the lock file of another build of this extension. If no such build is running, the lock file is from a build that was killed.',
      remedy:
        'If another process is building this extension, wait until it ends. Otherwise, remove the lock file.',
      command: `rm -f ${file}`,
    }),
  },
  {
    match: /file_baton\.py/,
    explain: (_match, log) => ({
      cause:
        'load() waited for the lock file of another build of this extension. If no such build is running, the lock file is from a build that was killed.',
      remedy:
        'If another process is building this extension, wait until it ends. Otherwise, remove the lock file.',
      command: `rm -f ${jitFolder(log) || '~/.cache/torch_extensions/*/*'}/lock`,
    }),
  },
  {
    match: /Python\.h: No such file|'Python\.h' file not found/,
    explain: (_match, log) => ({
      cause: 'The headers of Python are not installed.',
      remedy: 'Install the headers of the Python that builds the extension.',
      command: `sudo apt-get install python${pythonVersion(log) || '3'}-dev`,
    }),
  },
  {
    match: /version [`'‘]?(GLIBC(?:XX)?_[\d.]+)['’]? not found/,
    explain: ([, version = '']) => ({
      cause: `The library was built on a newer system: it needs ${version}, but the ${version.startsWith('GLIBCXX') ? 'libstdc++' : 'glibc'} that it finds here is older.`,
      remedy: version.startsWith('GLIBCXX')
        ? 'Build the library on this system. Or, in a conda environment, install a newer libstdc++.'
        : 'Build the library on this system, or on the oldest system that must run the library.',
      command: version.startsWith('GLIBCXX')
        ? 'conda install -c conda-forge libstdcxx-ng'
        : installAgain,
    }),
  },
  {
    match: /no kernel image is available for execution on the device/,
    explain: () => ({
      cause:
        'The library contains no code for this GPU. It was built for other architectures, and contains no PTX that the driver can compile for this GPU.',
      remedy: 'Build the library for the compute capability that nvidia-smi reports.',
      command:
        'TORCH_CUDA_ARCH_LIST="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sort -u | paste -sd\';\')" ' +
        installAgain,
    }),
  },
  {
    match: /CUDA_HOME environment variable is not set|nvcc: (?:command )?not found/,
    explain: () => ({
      cause: 'torch does not find a CUDA toolkit.',
      remedy:
        'Install the CUDA toolkit of the version that torch was built with, and set CUDA_HOME to the folder of the toolkit.',
      command: 'export CUDA_HOME=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH',
    }),
  },
  {
    match: /unsupported GNU version! gcc versions later than (\d+) are not supported/,
    explain: ([, version = '']) => ({
      cause: `This nvcc supports GCC up to ${version}, but the host compiler is newer.`,
      remedy: `Install GCC ${version}, and build with this compiler.`,
      command: `CC=gcc-${version} CXX=g++-${version} pip install --no-build-isolation .`,
    }),
  },
  {
    match:
      /#error\b.*C\+\+(17|20) or later compatible compiler is required|You need C\+\+(17|20) to compile PyTorch/,
    explain: ([, first, second]) => ({
      cause: `The headers of torch need C++${first ?? second ?? ''}, but the build sets an older standard.`,
      remedy: `Remove -std=… from the compiler flags (extra_compile_args in setup.py, extra_cflags of load()): torch sets -std=c++${first ?? second ?? ''} itself.`,
      command: '',
    }),
  },
  {
    match: /Ninja is required to load C\+\+ extensions/i,
    explain: () => ({
      cause: 'load() and load_inline() build with ninja, but ninja is not on PATH.',
      remedy: 'Install ninja, or activate the environment that contains ninja.',
      command: 'pip install ninja',
    }),
  },
]

/** Lines of a log that are read; a longer one has its errors near the end. */
const mostLines = 200_000
const mostFailures = 20

/**
 * Finds the failures of an environment in what pip, setup.py, load() or Python printed: each kind once, at its
 * first line. Empty where no line is known.
 */
export function explainLog(log: string, machine: MachineFacts): ExplainedFailure[] {
  const lines = log.split(/\r?\n/)
  const first = Math.max(0, lines.length - mostLines)
  const found = new Map<Rule, ExplainedFailure>()
  for (const [index, line] of lines.slice(first).entries()) {
    for (const rule of rules) {
      const match = rule.match.exec(line)
      if (!match || (rule.within && !rule.within.test(log))) continue
      if (!found.has(rule)) {
        const text = line.trim().slice(0, 500)
        found.set(rule, { line: first + index + 1, text, ...rule.explain(match, log, machine) })
      }
      break
    }
    if (found.size === mostFailures) break
  }
  return [...found.values()]
}
