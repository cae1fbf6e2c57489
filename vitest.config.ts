import fs from 'node:fs'
import path from 'node:path'

import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

const minutes = 60_000
const noEditor = path.join(import.meta.dirname, 'test/component/support/no-editor.ts')
/** What is compared with times, or must come within one: alone on the machine. */
const timedNative = [
  'test/native/gpu-events.test.ts',
  'test/native/timing-devices.test.ts',
  'test/native/timing-engine.test.ts',
]
/**
 * Words of a test file that changes its process, or keeps state in modules: mocks, environment variables, the window's
 * stores, the addon. Each of these files has its own process. The others share one, which reads the engine once.
 */
const changesProcess =
  /\bvi\.(mock|stub|spyOn|useFakeTimers|resetModules)|process\.(env|chdir|on)\b|globalThis|main-process'|open-in-window'|gpu-checks'|renderer\/store|\/fixture'/

function filesOf(suite: 'unit' | 'native'): { shared: string[]; own: string[] } {
  const folder = path.join('test', suite)
  const files = fs
    .readdirSync(path.join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => /\.test\.tsx?$/.test(file) && !timedNative.includes(file))
  const isOwn = (file: string): boolean =>
    changesProcess.test(fs.readFileSync(path.join(import.meta.dirname, file), 'utf8'))
  return { shared: files.filter((file) => !isOwn(file)), own: files.filter(isOwn) }
}

/** Files that take a minute and more, longest first. If one of them starts last, it runs alone and the other cores are idle. */
const longest = [
  'test/parity/checks.test.ts',
  'test/native/verb-init.test.ts',
  'test/e2e/accessibility.test.ts',
  'test/native/cuda-corpus.test.ts',
  'test/native/operator-check-findings.test.ts',
  'test/native/cuda-defects.test.ts',
  'test/native/export-command-line.test.ts',
  'test/native/slurm.test.ts',
  'test/native/projects.test.ts',
  'test/native/gradcheck-command-line.test.ts',
  'test/e2e/loop.test.ts',
  'test/native/gradcheck-engine.test.ts',
  'test/native/tutorials.test.ts',
  'test/native/wheels.test.ts',
  'test/e2e/operator-checks.test.ts',
  'test/native/hot-compile.test.ts',
  'test/e2e/export.test.ts',
  'test/e2e/gradcheck.test.ts',
  'test/native/sanitizers.test.ts',
  'test/e2e/language.test.ts',
  'test/native/check-command-line.test.ts',
  'test/e2e/program-assembly.test.ts',
  'test/native/gpu-timings.test.ts',
  'test/native/crash-battery.test.ts',
  'test/e2e/trust.test.ts',
  'test/native/graph-command-line.test.ts',
  'test/native/operator-check-ends.test.ts',
  'test/native/virtual-device.test.ts',
  'test/native/clangd.test.ts',
  'test/native/verb-test.test.ts',
  'test/native/operator-check-extensions.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (file: TestSpecification): number => {
      const index = longest.indexOf(path.relative(import.meta.dirname, file.moduleId))
      return index < 0 ? longest.length : index
    }
    // A worker is used again only if the next file belongs to the same project.
    return (await super.sort(files)).sort(
      (a, b) => place(a) - place(b) || a.project.name.localeCompare(b.project.name),
    )
  }
}

/** A test leaves a run before the run ends. Beside other windows its click could come too late. */
const timedWindows = ['test/e2e/timings.test.ts']
/** What needs set-up shares its workers; what is timed comes after it, alone. */
const workers = Number(process.env['OPSMITH_TEST_WORKERS'] ?? 2)
/** Two windows on one display would take the keyboard from each other: without displays, one after the other. */
const displays = process.env['OPSMITH_TEST_DISPLAYS']?.split(' ') ?? []
const endToEnd = {
  setupFiles: ['test/support/own-display.ts', 'test/support/tell-failures.ts'],
  pool: 'forks' as const,
  // Waiting for what the window shows takes as long as it takes: limits are there for what never comes.
  expect: { poll: { timeout: 1.5 * minutes } },
  testTimeout: 6 * minutes,
  hookTimeout: 6 * minutes,
}

/** Vitest's own limit of a poll is one second, which a busy machine takes for one look. */
const patientUnit = { poll: { timeout: 0.75 * minutes } }
const patientNative = { poll: { timeout: 1.5 * minutes } }

const untimedNative = {
  pool: 'forks' as const,
  expect: patientNative,
  maxWorkers: workers,
  sequence: { groupOrder: 1 },
  testTimeout: 6 * minutes,
  hookTimeout: 6 * minutes,
}
const unit = filesOf('unit')
const native = filesOf('native')

/** One project a kind of test, and one for tests of it that are timed; scripts/test.mjs runs them in this order. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Native and e2e tests run what is bundled: in watch mode scripts/test.mjs builds it again after an edit.
    forceRerunTriggers: [
      '**/package.json/**',
      '**/vitest.config.*/**',
      '**/dist/*.cjs',
      '**/dist/renderer/index.html',
    ],
    projects: [
      {
        test: {
          name: 'unit',
          include: unit.shared,
          isolate: false,
          expect: patientUnit,
          testTimeout: minutes,
          hookTimeout: minutes,
        },
      },
      {
        test: {
          name: 'unit-own',
          include: unit.own,
          expect: patientUnit,
          // Some run setup.py, or npm, several times.
          testTimeout: 3 * minutes,
          hookTimeout: 3 * minutes,
        },
      },
      {
        // Panels of the window with its real stores; main is answered by the test.
        resolve: {
          alias: [{ find: /^monaco-editor\/.*/, replacement: noEditor }],
        },
        test: {
          name: 'component',
          include: ['test/component/**/*.test.tsx'],
          environment: 'happy-dom',
          setupFiles: ['test/component/support/setup.ts'],
          testTimeout: minutes,
          hookTimeout: minutes,
        },
      },
      {
        test: {
          // The addon and the op host. An operator that takes all the memory it may takes 3 GB.
          name: 'native',
          include: native.shared,
          isolate: false,
          ...untimedNative,
        },
      },
      {
        test: {
          name: 'native-own',
          include: native.own,
          ...untimedNative,
        },
      },
      {
        test: {
          // Those that measure: alone on the machine.
          name: 'native-timed',
          include: timedNative,
          pool: 'forks',
          fileParallelism: false,
          expect: patientNative,
          sequence: { groupOrder: 3 },
          testTimeout: 6 * minutes,
          hookTimeout: 6 * minutes,
        },
      },
      {
        test: {
          // Beside Python's torch, as found by set-up.
          name: 'parity',
          include: ['test/parity/**/*.test.ts'],
          pool: 'forks',
          maxWorkers: workers,
          sequence: { groupOrder: 1 },
          testTimeout: 5 * minutes,
          hookTimeout: 6 * minutes,
        },
      },
      {
        test: {
          // The real app in a real window; as many at a time as there are displays.
          name: 'e2e',
          // A worker reads Playwright and the tests' helpers once.
          isolate: false,
          include: ['test/e2e/**/*.test.ts'],
          exclude: timedWindows,
          ...(displays.length === workers
            ? { maxWorkers: workers, sequence: { groupOrder: 1 } }
            : { maxWorkers: 1, sequence: { groupOrder: 2 } }),
          ...endToEnd,
        },
      },
      {
        test: {
          name: 'e2e-timed',
          include: timedWindows,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
          ...endToEnd,
        },
      },
      {
        test: {
          // What only a machine with a GPU can answer; skipped with the reason elsewhere.
          name: 'gpu',
          include: ['test/gpu/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 6 * minutes,
          // Samples are built there, from nothing on a new machine.
          hookTimeout: 6 * minutes,
        },
      },
    ],
  },
})
