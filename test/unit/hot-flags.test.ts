import { describe, expect, it } from 'vitest'

import { linkerFlags } from '../../electron/engine/compile/hot/direct-link'
import { flagsForServer } from '../../electron/engine/compile/hot/server-flags'

describe('flags of a project, as a compile server takes them', () => {
  it('takes macros, folders and warnings', () => {
    const flags = ['-DA=1', '-DB', '-I', 'include', '-I.', '-Wall', '-Wno-unused-variable']
    expect(flagsForServer(flags)).toEqual({
      defines: ['A=1', 'B'],
      includes: ['include', '.'],
      warnings: ['all', 'no-unused-variable'],
    })
  })

  it.each(['-O3', '-march=native', '-fopenmp', '-isystem', '-UX', '-Wl,-z,now', '-include'])(
    'leaves %s to the compiler itself',
    (flag) => {
      expect(flagsForServer([flag])).toBeUndefined()
    },
  )
})

describe('flags of a link, as the linker itself takes them', () => {
  it('takes apart what the driver would', () => {
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

  it('does not guess', () => {
    expect(linkerFlags(['-pthread'])).toBeUndefined()
    expect(linkerFlags(['-fopenmp'])).toBeUndefined()
  })
})
