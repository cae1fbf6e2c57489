import { expect, it } from 'vitest'

import { compileInOrder } from '../../electron/engine/compile/compile-order'
import type { CompileWork } from '../../electron/engine/compile/compile-order'
import type { CompileTask } from '../../electron/engine/compile/compile-task'
import type { Diagnostic } from '../../electron/contract/diagnostics'

interface Made {
  label: string
  isGood: boolean
}

const taskOf = (label: string): CompileTask => ({
  label,
  command: '',
  args: [],
  source: label,
  key: label,
  server: undefined,
})

const tasks = ['a.cu', 'b.cu', 'c.cpp', 'd.cpp'].map(taskOf)

/** CUDA sources take until they are stopped or `release` is called, C++ sources no time. */
function workOf({ bad = [], missing = [] }: { bad?: string[]; missing?: Diagnostic[] }): {
  work: CompileWork<Made>
  log: string[]
  release: () => void
} {
  const log: string[] = []
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const work: CompileWork<Made> = {
    isCuda: ({ label }) => label.endsWith('.cu'),
    compile: async ({ label }, signal) => {
      log.push(label)
      if (label.endsWith('.cu')) {
        const stopped = new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
        await Promise.race([released, stopped])
      }
      return { label, isGood: !bad.includes(label) && !signal.aborted }
    },
    isGood: (made) => made.isGood,
    checkCxx: (made) => {
      log.push(`check ${made.map(({ label }) => label).join(' ')}`)
      return Promise.resolve(missing)
    },
  }
  return { work, log, release: () => release() }
}

const cpuBuild: Diagnostic = {
  severity: 'error',
  file: '',
  line: 0,
  column: 0,
  message: 'undefined reference',
  source: 'linker',
  code: '',
  notes: [],
}

it('one compiler begins with CUDA, the others with C++, and the C++ part is checked before the rest', async () => {
  const { work, log, release } = workOf({})
  const made = compileInOrder(tasks, work, undefined, { all: 2, cuda: 2 })
  await expect.poll(() => log).toEqual(['a.cu', 'c.cpp', 'd.cpp', 'check c.cpp d.cpp', 'b.cu'])
  release()
  const { made: all, leftOut } = await made
  expect(all.map(({ label }) => label)).toEqual(['a.cu', 'b.cu', 'c.cpp', 'd.cpp'])
  expect(leftOut).toEqual([])
})

it('no more nvcc run at once than memory allows', async () => {
  const { work, log, release } = workOf({})
  const made = compileInOrder(tasks, work, undefined, { all: 4, cuda: 1 })
  await expect.poll(() => log).toEqual(['a.cu', 'c.cpp', 'd.cpp', 'check c.cpp d.cpp'])
  release()
  const { made: all } = await made
  expect(log.at(-1)).toBe('b.cu')
  expect(all).toHaveLength(4)
})

it('a single compiler compiles C++ first', async () => {
  const { work, log, release } = workOf({})
  release()
  await compileInOrder(tasks, work, undefined, { all: 1, cuda: 1 })
  expect(log).toEqual(['c.cpp', 'd.cpp', 'check c.cpp d.cpp', 'a.cu', 'b.cu'])
})

it('a C++ source that does not compile stops the CUDA source under way, and the next is not begun', async () => {
  const { work, log } = workOf({ bad: ['c.cpp'] })
  const { made, leftOut } = await compileInOrder(tasks, work, undefined, { all: 2, cuda: 2 })
  expect(log).not.toContain('b.cu')
  expect(made.map(({ label }) => label)).toEqual(['c.cpp', 'd.cpp'])
  expect(leftOut.map(({ label }) => label).sort()).toEqual(['a.cu', 'b.cu'])
})

it('a C++ part that cannot be linked ends the build without waiting for nvcc', async () => {
  const { work } = workOf({ missing: [cpuBuild] })
  const { diagnostics, leftOut } = await compileInOrder(tasks, work, undefined, { all: 2, cuda: 2 })
  expect(diagnostics).toEqual([cpuBuild])
  expect(leftOut).toHaveLength(2)
})

it('an error that is thrown stops the other compilers and comes out', async () => {
  const { work } = workOf({})
  const failing: CompileWork<Made> = {
    ...work,
    compile: async (task, signal) => {
      if (task.label === 'c.cpp') throw new Error('no space')
      return await work.compile(task, signal)
    },
  }
  await expect(compileInOrder(tasks, failing, undefined, { all: 2, cuda: 2 })).rejects.toThrow(
    'no space',
  )
})
