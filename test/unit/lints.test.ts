import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import { applyFixes } from '../../electron/engine/language/lints/apply-fixes'
import { lints } from '../../electron/engine/language/lints/all-lints'
import { runLints } from '../../electron/engine/language/lints/run-lints'
import type { LintOptions } from '../../electron/engine/language/lints/run-lints'
import { SourceFile } from '../../electron/engine/language/syntax/source-file'
import { root } from '../support/installation'
import type { LintCase } from './lint-case'

/** Cases by their files: a lint's own are in lint-cases/NAME.ts. */
const caseFiles = import.meta.glob<LintCase[]>('./lint-cases/*.ts', {
  eager: true,
  import: 'cases',
})
const lintCases = Object.values(caseFiles).flat()

/** Where a case's findings begin, as its text marks them; the text goes on without the marks. */
function unmark(text: string): { text: string; places: string[] } {
  const places: string[] = []
  const lines = text.split('\n').map((marked, index) => {
    let line = marked
    for (let at = line.indexOf('»'); at >= 0; at = line.indexOf('»')) {
      places.push(`${index + 1}:${at + 1}`)
      line = line.slice(0, at) + line.slice(at + 1)
    }
    return line
  })
  return { text: lines.join('\n'), places }
}

async function lintTexts(
  texts: ReadonlyMap<string, string>,
  options: LintOptions = {},
): Promise<Diagnostic[]> {
  const files: SourceFile[] = []
  for (const [file, text] of texts) files.push(await SourceFile.parse(root, file, text))
  return runLints(files, options)
}

const placesOf = (found: readonly Diagnostic[], file: string): string[] =>
  found.filter((one) => one.file === file).map((one) => `${one.line}:${one.column}`)

beforeAll(async () => {
  // The parser starts once; its time belongs to no case.
  await SourceFile.parse(root, '/start.cpp', '')
})

describe.each(lintCases)('the lint $code: $name', (one) => {
  it('the lint fires at the marked places and nowhere else', async () => {
    const marked = new Map(Object.entries(one.files).map(([file, text]) => [file, unmark(text)]))
    const texts = new Map([...marked].map(([file, { text }]) => [file, text]))
    const options = { exposed: one.exposed ?? [], entries: one.entries ?? [] }
    const found = await lintTexts(texts, options)
    const ours = found.filter((diagnostic) => diagnostic.code === one.code)
    for (const [file, { places }] of marked) expect(placesOf(ours, file)).toEqual(places)
    if (one.message) expect(ours[0]?.message).toMatch(one.message)
    if (one.quiet === true) expect(found).toEqual([])
    if (one.fixed) {
      const changed = applyFixes(ours, texts)
      for (const [file, text] of Object.entries(one.fixed)) expect(changed.get(file)).toBe(text)
      const left = await lintTexts(new Map([...texts, ...changed]), options)
      expect(left.filter((diagnostic) => diagnostic.code === one.code)).toEqual([])
    }
  })
})

describe('all lints', () => {
  it('every lint has a code, documentation with an example, a case that fires and one that is quiet', () => {
    expect(lints.length).toBeGreaterThan(10)
    for (const { code, documentation } of lints) {
      expect(documentation, code).toMatch(/```cpp\n/)
      const cases = lintCases.filter((one) => one.code === code)
      const fires = (one: (typeof cases)[number]): boolean =>
        Object.values(one.files).some((text) => text.includes('»'))
      expect(cases.filter(fires).length, `${code} fires`).toBeGreaterThan(0)
      expect(cases.filter((one) => !fires(one)).length, `${code} is quiet`).toBeGreaterThan(0)
    }
  })

  it.each(fs.readdirSync(path.join(root, 'samples')).filter((name) => name !== 'broken_kernels'))(
    'no lint fires in samples/%s',
    async (name) => {
      expect(summary(await lintFolder(path.join(root, 'samples', name)))).toEqual([])
    },
  )

  it('no lint fires in kernels/', async () => {
    expect(summary(await lintFolder(path.join(root, 'kernels')))).toEqual([])
  })

  it('comments and the project can silence a lint', async () => {
    const line = 'PYBIND11_MODULE(mine, m) {}'
    const quiet = [
      `${line} // opsmith-ignore: opsmith-module-name`,
      `${line} // opsmith-ignore`,
      `// opsmith-ignore: opsmith-from-blob, opsmith-module-name\n${line}`,
      `${line} // NOLINT`,
      `${line} // NOLINT(opsmith-module-name)`,
      `// NOLINTNEXTLINE(opsmith-*)\n${line}`,
    ]
    for (const text of quiet) {
      expect(await lintTexts(new Map([['/op.cpp', text]])), text).toEqual([])
    }
    const loud = [
      `${line} // opsmith-ignore: opsmith-from-blob`,
      `${line} // NOLINT(bugprone-branch-clone)`,
      `// opsmith-ignore\n\n${line}`,
    ]
    for (const text of loud) {
      expect(await lintTexts(new Map([['/op.cpp', text]])), text).toHaveLength(1)
    }
    const off = await lintTexts(new Map([['/op.cpp', line]]), { off: ['opsmith-module-name'] })
    expect(off).toEqual([])
  })

  it('half-typed text does not break a lint', async () => {
    const good = fs.readFileSync(path.join(root, 'samples/rms_norm/rms_norm.cpp'), 'utf8')
    for (let end = 0; end < good.length; end += 997) {
      expect(summary(await lintTexts(new Map([['/op.cpp', good.slice(0, end)]])))).toEqual([])
    }
  })
})

const summary = (found: readonly Diagnostic[]): string[] =>
  found.map((one) => `${one.file}:${one.line}:${one.column} ${one.code} ${one.message}`)

async function lintFolder(folder: string): Promise<Diagnostic[]> {
  const names = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(cpp|cu|h|cuh)$/.test(name) && !name.startsWith('build'))
  const manifest = path.join(folder, 'opsmith.json')
  const listed = fs.existsSync(manifest)
    ? /"functions":\s*\[([^\]]*)\]/.exec(fs.readFileSync(manifest, 'utf8'))?.[1]
    : undefined
  const exposed = [...(listed ?? '').matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? '')
  const texts = new Map(
    names.map((name) => {
      const file = path.join(folder, name)
      return [file, fs.readFileSync(file, 'utf8')]
    }),
  )
  return await lintTexts(texts, { exposed })
}
