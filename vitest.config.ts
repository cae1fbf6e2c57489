import { defineConfig } from 'vitest/config'

/** One project a kind of test; scripts/test.mjs runs them in this order. */
const minutes = 60_000

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.{ts,tsx}'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          // The addon and the op host: one file at a time, since user code may take all cores.
          name: 'native',
          include: ['test/native/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 3 * minutes,
          hookTimeout: 5 * minutes,
        },
      },
      {
        test: {
          // Beside Python's torch, as found by set-up.
          name: 'parity',
          include: ['test/parity/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 5 * minutes,
          hookTimeout: 5 * minutes,
        },
      },
      {
        test: {
          // The real app in a real window; one at a time.
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 3 * minutes,
          hookTimeout: 5 * minutes,
        },
      },
      {
        test: {
          // What only a machine with a GPU can answer; skipped with the reason elsewhere.
          name: 'gpu',
          include: ['test/gpu/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 5 * minutes,
        },
      },
    ],
  },
})
