import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../support/installation'

const run = promisify(execFile)

const engine = 'electron/engine'
const renderer = 'renderer/panel'
const e2e = 'test/e2e'

/** By rule of .oxlintrc.json: a folder in which it holds, and a module there that breaks it. */
const violations: Record<string, [folder: string, text: string]> = {
  eqeqeq: [engine, 'export const f = (a: number): boolean => a == 1'],
  'no-var': [engine, 'export var f = 1'],
  'prefer-const': [engine, 'let a = 1\nexport const f = a'],
  'no-console': [engine, 'console.log(1)'],
  'no-eval': [engine, "eval('1')"],
  'typescript/no-implied-eval': [engine, "setTimeout('1', 1)"],
  'no-new-func': [engine, "export const f = new Function('return 1')"],
  'no-self-compare': [engine, 'export const f = (a: number): boolean => a === a'],
  'no-template-curly-in-string': [engine, `export const f = 'a \${b}'`],
  'no-unreachable-loop': [engine, 'for (const a of [1]) { void a; break }'],
  'no-unused-expressions': [engine, '1 + 1'],
  'no-fallthrough': [
    engine,
    'export function f(a: number): number { let b = 0; switch (a) { case 1: b = 1; case 2: b = 2 } return b }',
  ],
  'no-empty': [engine, 'try { void 0 } catch {}'],
  'no-async-promise-executor': [engine, 'void new Promise<void>(async (done) => { done() })'],
  'max-lines': [engine, 'void 0\n'.repeat(501)],
  'opsmith/no-literal-spread': [engine, 'export const f = { ...{ a: 1 } }'],
  'stylistic/padding-line-between-statements': [
    engine,
    'export {}\nfunction f(): void {}\nconst a = f\nvoid a',
  ],
  'stylistic/lines-between-class-members': [
    engine,
    'export class F {\n  a(): void {\n    void 0\n  }\n  b(): void {\n    void 0\n  }\n}',
  ],
  'no-restricted-exports': [engine, 'export default 1'],
  'typescript/no-explicit-any': [engine, 'export const f = (a: any): void => { void a }'],
  'typescript/consistent-type-imports': [
    engine,
    "import { Shape } from './shape'\nexport const f = (a: Shape): void => { void a }",
  ],
  'typescript/no-import-type-side-effects': [
    engine,
    "import { type Shape } from './shape'\nexport type Other = Shape",
  ],
  'typescript/no-non-null-assertion': [engine, 'export const f = (a: number | null): number => a!'],
  'typescript/no-floating-promises': [engine, 'Promise.resolve(1)'],
  'typescript/no-misused-promises': [engine, 'if (Promise.resolve(false)) void 1'],
  'typescript/await-thenable': [engine, 'await 1'],
  'typescript/return-await': [
    engine,
    'export async function f(): Promise<number> { try { return Promise.resolve(1) } catch { return 0 } }',
  ],
  'typescript/switch-exhaustiveness-check': [
    engine,
    "export function f(x: 'a' | 'b'): void { switch (x) { case 'a': break } }",
  ],
  'typescript/no-unsafe-assignment': [
    engine,
    "export const x: { a: string } = { a: JSON.parse('1') }",
  ],
  'typescript/no-unsafe-call': [engine, 'export const f = (g: any): void => { g() }'],
  'typescript/no-unsafe-member-access': [engine, 'export const f = (g: any): void => { void g.a }'],
  'typescript/no-unsafe-return': [engine, 'export const f = (g: any): string => g'],
  'typescript/no-unsafe-argument': [
    engine,
    'export const f = (g: any): number => Number.parseFloat(g)',
  ],
  'typescript/no-unnecessary-type-assertion': [
    engine,
    'export const f = (s: string): string => s!',
  ],
  'typescript/no-base-to-string': [engine, 'export const f = (o: object): string => String(o)'],
  'typescript/only-throw-error': [engine, "export function f(): void { throw 'text' }"],
  'typescript/prefer-promise-reject-errors': [
    engine,
    "export const f = (): Promise<void> => Promise.reject('text')",
  ],
  'typescript/no-deprecated': [
    engine,
    '/** @deprecated use another */\nfunction old(): void {}\n\nexport const f = (): void => { old() }',
  ],
  'typescript/consistent-type-exports': [engine, "export { Shape } from './shape'"],
  'opsmith/no-electron': [engine, 'export const f = process.versions.electron'],
  'max-params': [
    engine,
    'export const f = (a: number, b: number, c: number, d: number, e: number): number => a + b + c + d + e',
  ],
  'react-hooks/rules-of-hooks': [
    renderer,
    "import { useState } from 'react'\nexport function Panel({ a }: { a: boolean }): null { if (a) useState(0); return null }",
  ],
  'react-hooks/exhaustive-deps': [
    renderer,
    "import { useEffect } from 'react'\nexport function Panel({ a }: { a: number }): null { useEffect(() => { void a }, []); return null }",
  ],
  'opsmith/no-inner-html': [
    renderer,
    "export const Panel = () => <p dangerouslySetInnerHTML={{ __html: 'a' }} />",
  ],
  'no-restricted-properties': [renderer, 'export const f = window.opsmith'],
  'opsmith/no-class-selectors': [
    e2e,
    "export const f = (page: { locator(a: string): void }): void => { page.locator('.tab') }",
  ],
}

interface Finding {
  code: string
  filename: string
}

interface Config {
  rules: Record<string, unknown>
  overrides: { rules: Record<string, unknown> }[]
}

/** `opsmith/no-electron` as oxlint prints it: `opsmith(no-electron)`. */
function codeOf(rule: string): string {
  const [name = '', plugin = 'eslint'] = rule.split('/').toReversed()
  return `${plugin}(${name})`
}

describe('the lint rules', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-lint-'))
  let findings: Finding[] = []

  beforeAll(async () => {
    // The rules for a folder hold in a copy of its place.
    for (const name of ['.oxlintrc.json', 'scripts/lint', 'node_modules']) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      fs.symlinkSync(path.join(root, name), path.join(folder, name))
    }
    const options = {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      strict: true,
      jsx: 'react-jsx',
    }
    const tsconfig = { compilerOptions: { ...options, types: ['node'] }, include: ['**/*.ts*'] }
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    for (const place of [engine, renderer, e2e])
      fs.mkdirSync(path.join(folder, place), { recursive: true })
    fs.writeFileSync(
      path.join(folder, engine, 'shape.ts'),
      'export interface Shape { a: number }\n',
    )
    for (const [rule, [place, text]] of Object.entries(violations)) {
      const name = `${rule.replace('/', '.')}.${place === renderer ? 'tsx' : 'ts'}`
      fs.writeFileSync(path.join(folder, place, name), `${text}\nexport {}\n`)
    }
    const oxlint = path.join(root, 'node_modules/.bin/oxlint')
    const output = await run(oxlint, ['--format', 'json', 'electron', 'renderer', 'test'], {
      cwd: folder,
    })
      .then(() => '')
      .catch((error: unknown) => (error as { stdout: string }).stdout)
    findings = (JSON.parse(output) as { diagnostics: Finding[] }).diagnostics
  }, 600_000)
  afterAll(() => {
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('a case exists for each rule that is switched on', () => {
    const file = path.join(root, '.oxlintrc.json')
    const { config } = ts.readConfigFile(file, (name) => fs.readFileSync(name, 'utf8'))
    const { rules, overrides } = config as Config
    const names = [rules, ...overrides.map((one) => one.rules)].flatMap((one) => Object.keys(one))
    expect(Object.keys(violations).toSorted()).toEqual([...new Set(names)].toSorted())
  })

  it.each(Object.keys(violations))('%s fires', (rule) => {
    const codes = findings
      .filter(({ filename }) => path.parse(filename).name === rule.replace('/', '.'))
      .map(({ code }) => code)
    expect(codes).toContain(codeOf(rule))
  })
})
