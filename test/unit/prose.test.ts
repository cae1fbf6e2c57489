import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { beforeAll, describe, expect, it } from 'vitest'

type FindWords = (name: string, source: string) => Promise<string[]>

const script = path.resolve(__dirname, '../../scripts/checks/prose.mjs')
let discouragedIn: FindWords

beforeAll(async () => {
  const { startProse } = (await import(pathToFileURL(script).href)) as {
    startProse(): Promise<FindWords>
  }
  discouragedIn = await startProse()
})

const places = (findings: string[]): string[] => findings.map((one) => one.split(': ')[0] ?? '')

describe('the prose check', () => {
  it('finds discouraged words in strings, templates and JSX, with their lines', async () => {
    const source = [
      "export const advice = 'Look beside the file'",
      'const count = 3',
      ['export const hint = `', '{count} files, mend them in ', '{advice} and build anew`'].join(
        '$',
      ),
      'export const Panel = () => <p title="It goes by itself then">This graph was let go here.</p>',
    ].join('\n')
    expect(places(await discouragedIn('a.tsx', source))).toEqual([
      'a.tsx:1',
      'a.tsx:3',
      'a.tsx:3',
      'a.tsx:4',
      'a.tsx:4',
    ])
  })

  it('finds them in the strings of C++ and in Markdown', async () => {
    const cxx = '// beside a comment\nthrow Failure("a value is taken from here");\n'
    expect(places(await discouragedIn('a.cpp', cxx))).toEqual(['a.cpp:2'])
    const markdown = '# Title\n\nIt stands here, and `beside` is code.\n'
    expect(places(await discouragedIn('a.md', markdown))).toEqual(['a.md:3'])
  })

  it('finds them in Python, JSON and scripts', async () => {
    const python =
      '"""Notes which calls\n    take out a tensor."""\n# beside a comment\nfail("it is no tensor here")\n'
    expect(places(await discouragedIn('a.py', python))).toEqual(['a.py:1', 'a.py:4'])
    const json = '{\n  // beside a comment\n  "description": "A bug of ours, most likely"\n}\n'
    expect(places(await discouragedIn('a.json', json))).toEqual(['a.json:3', 'a.json:3'])
    const script = "console.log('a number, as in 1e-6')\n"
    expect(places(await discouragedIn('a.mjs', script))).toEqual(['a.mjs:1'])
  })

  it('allows "there is no" and "is no longer"', async () => {
    const source = "export const text = 'There is no file, and it is no longer needed'\n"
    expect(await discouragedIn('a.ts', source)).toEqual([])
  })

  it('leaves names, keys and comments alone, and says what to write instead', async () => {
    const source = "// it is told\nexport const beside = { kind: 'beside', said: 'said' }\n"
    expect(await discouragedIn('a.ts', source)).toEqual([])
    const [finding] = await discouragedIn('a.ts', "export const text = 'Please mend this file'")
    expect(finding).toMatch(/use “fix” instead/)
  })
})
