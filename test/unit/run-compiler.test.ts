import { expect, it } from 'vitest'

import { runCompiler } from '../../electron/engine/toolchain/run-compiler'

const print = ['-c', 'echo "$GLIBC_TUNABLES $LC_ALL"']

it('compilers have their heap in large pages and speak English', async () => {
  const { stdout } = await runCompiler('/bin/sh', print, { env: { LC_ALL: 'de_DE.UTF-8' } })
  expect(stdout).toBe('glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864 C\n')
})

it("the user's settings of glibc come last, so they win", async () => {
  const env = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=0' }
  const { stdout } = await runCompiler('/bin/sh', print, { env })
  expect(stdout).toMatch(/top_pad=\d+:glibc\.malloc\.hugetlb=0 C$/m)
})
