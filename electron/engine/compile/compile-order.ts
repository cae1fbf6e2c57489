import { setMaxListeners } from 'node:events'
import os from 'node:os'

import type { Diagnostic } from '../../contract/diagnostics'
import type { CompileTask } from './compile-task'

/** How the sources of one build are compiled. */
export interface CompileWork<Made> {
  isCuda: (task: CompileTask) => boolean
  compile: (task: CompileTask, signal: AbortSignal) => Promise<Made>
  isGood: (made: Made) => boolean
  /** Asked once all C++ sources have compiled, before or while CUDA sources do: errors that the link would find. */
  checkCxx: (made: Made[]) => Promise<Diagnostic[]>
}

export interface CompiledInOrder<Made> {
  /** In the order of the tasks, without those that were not compiled. */
  made: Made[]
  /** What `checkCxx` found. */
  diagnostics: Diagnostic[]
  /** CUDA sources that were not compiled, or not to the end, since the build fails without them. */
  leftOut: CompileTask[]
}

type Numbered = [number, CompileTask]

/** How many compilers run at once. */
export interface CompileWidth {
  all: number
  /** How many of them are nvcc, which takes several times the memory. */
  cuda: number
}

const jobsFor = (memory: number): number => Math.max(1, Math.floor(os.freemem() / memory))
const gibibyte = 2 ** 30

/** As many as there are cores and memory for: a libtorch source takes about 1.5 GB, nvcc 3 to 5 GB. */
const defaultWidth = (): CompileWidth => ({
  all: Math.min(os.availableParallelism(), jobsFor(1.5 * gibibyte)),
  cuda: jobsFor(4 * gibibyte),
})

/**
 * Compiles all sources. nvcc takes minutes where C++ takes seconds: one compiler of several begins with CUDA
 * sources, the others with C++. Once a source does not compile, no further CUDA source is begun; when it is a
 * C++ source, or the C++ part cannot be linked, the CUDA source under way is stopped too.
 *
 * @throws what `compile` throws, after the other compilers have ended
 */
export async function compileInOrder<Made>(
  tasks: readonly CompileTask[],
  work: CompileWork<Made>,
  signal?: AbortSignal,
  width = defaultWidth(),
): Promise<CompiledInOrder<Made>> {
  const entries: Numbered[] = [...tasks.entries()]
  const cuda = entries.filter(([, task]) => work.isCuda(task))
  const cxx = entries.filter(([, task]) => !work.isCuda(task))
  const stopAll = new AbortController()
  const stopCuda = new AbortController()
  // Node warns of a leak from the eleventh compiler on that listens.
  setMaxListeners(0, stopAll.signal, stopCuda.signal)
  const abort = (): void => {
    stopAll.abort()
    stopCuda.abort()
  }
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const made = new Map<number, Made>()
  const leftOut: Numbered[] = []
  const diagnostics: Diagnostic[] = []
  let cxxToCompile = cxx.length
  let isGood = true

  const compileCuda = async (entry: Numbered): Promise<void> => {
    const [index, task] = entry
    const one = isGood ? await work.compile(task, stopCuda.signal) : undefined
    if (one !== undefined && (work.isGood(one) || !stopCuda.signal.aborted)) {
      made.set(index, one)
      if (!work.isGood(one)) isGood = false
    } else leftOut.push(entry)
  }
  const compileCxx = async ([index, task]: Numbered): Promise<void> => {
    const one = await work.compile(task, stopAll.signal)
    made.set(index, one)
    cxxToCompile -= 1
    if (work.isGood(one) && isGood && cxxToCompile === 0 && cuda.length > 0) {
      const compiled = [...made].filter(([at]) => cxx.some(([other]) => other === at))
      diagnostics.push(...(await work.checkCxx(compiled.map(([, value]) => value))))
    }
    if (!work.isGood(one) || diagnostics.length > 0) {
      isGood = false
      stopCuda.abort()
    }
  }
  const waiting = { cuda: [...cuda], cxx: [...cxx] }
  let runningCuda = 0
  const worker = async (startsWithCuda: boolean): Promise<void> => {
    for (;;) {
      const cudaEntry = (): Numbered | undefined =>
        runningCuda < width.cuda ? waiting.cuda.shift() : undefined
      const entry = startsWithCuda
        ? (cudaEntry() ?? waiting.cxx.shift())
        : (waiting.cxx.shift() ?? cudaEntry())
      // Who compiles CUDA sources now takes those that are left.
      if (!entry || stopAll.signal.aborted) return
      if (!work.isCuda(entry[1])) await compileCxx(entry)
      else {
        runningCuda += 1
        await compileCuda(entry)
        runningCuda -= 1
      }
    }
  }
  const workers = Array.from({ length: width.all }, async (_, index) => {
    try {
      await worker(index === 0 && width.all > 1)
    } catch (error) {
      abort()
      throw error
    }
  })
  const ended = await Promise.allSettled(workers)
  signal?.removeEventListener('abort', abort)
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return {
    made: entries.flatMap(([index]) => {
      const one = made.get(index)
      return one === undefined ? [] : [one]
    }),
    diagnostics,
    leftOut: leftOut.map(([, task]) => task),
  }
}
