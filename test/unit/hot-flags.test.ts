import { describe, expect, it } from 'vitest'

import { linkerFlags } from '../../electron/engine/compile/hot/direct-link'
import { deviceCodeFlags } from '../../electron/engine/compile/virtual-gpu/flags'
import { flagsForServer } from '../../electron/engine/compile/hot/server-flags'

describe('compiler flags for the compile server', () => {
  it('macros, include folders and warnings are passed to the server', () => {
    const flags = ['-DA=1', '-DB', '-I', 'include', '-I.', '-Wall', '-Wno-unused-variable']
    expect(flagsForServer(flags)).toEqual({
      defines: ['A=1', 'B'],
      includes: ['include', '.'],
      warnings: ['all', 'no-unused-variable'],
      isGpu: false,
    })
  })

  it.each(['-O3', '-march=native', '-fopenmp', '-isystem', '-UX', '-Wl,-z,now', '-include'])(
    'a project with the flag %s is not compiled by the server',
    (flag) => {
      expect(flagsForServer([flag])).toBeUndefined()
    },
  )

  it('flags of device code are known to the server, and to no other source', () => {
    const flags = [...deviceCodeFlags, '-DA=1']
    expect(flagsForServer(flags, true)).toMatchObject({ defines: ['A=1'], isGpu: true })
    expect(flagsForServer(flags)).toBeUndefined()
  })
})

describe('linker flags for a direct link', () => {
  it('flags for the compiler driver are translated for the linker', () => {
    const flags = ['-L/opt/lib', '-lcv', '-Wl,-rpath,/opt/lib', '/opt/lib/libx.so.4', 'a.o']
    expect(linkerFlags(flags)).toEqual([
      '-L/opt/lib',
      '-lcv',
      '-rpath',
      '/opt/lib',
      '/opt/lib/libx.so.4',
      'a.o',
    ])
  })

  it('flags without a known translation are refused', () => {
    expect(linkerFlags(['-pthread'])).toBeUndefined()
    expect(linkerFlags(['-fopenmp'])).toBeUndefined()
  })
})
