import { describe, expect, it } from 'vitest'

import { placesIn } from '../../renderer/features/terminal/places'

const found = (text: string): string[] =>
  placesIn(text).map(({ file, line, column }) => `${file} ${line} ${column}`)

describe('places in what a terminal shows', () => {
  it('are those of compilers, of stacks and of Python', () => {
    expect(found('op.cpp:12:3: error: no member')).toEqual(['op.cpp 12 3'])
    expect(found('    at ./src/kernel.cu:7')).toEqual(['./src/kernel.cu 7 1'])
    expect(found('In file included from a.h:1, from op.cpp:2:')).toEqual(['a.h 1 1', 'op.cpp 2 1'])
    expect(found('  File "program.py", line 4, in f')).toEqual(['program.py 4 1'])
  })

  it('are no times, addresses and versions', () => {
    for (const text of ['12:30:05', 'localhost:8080', 'clang 19.1.7', 'ratio 1:2'])
      expect(found(text)).toEqual([])
  })

  it('say which words of the line they are', () => {
    const [place] = placesIn('see op.cpp:12:3 there')
    expect([place?.start, place?.end]).toEqual([4, 15])
  })
})
