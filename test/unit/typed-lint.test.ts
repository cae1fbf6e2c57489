import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../support/installation'

const run = promisify(execFile)

/** By rule of .oxlintrc.json: a module that breaks it, and no other. */
const violations: Record<string, string> = {
  'no-floating-promises': 'Promise.resolve(1)',
  'no-misused-promises': 'if (Promise.resolve(false)) console.log(1)',
  'await-thenable': 'await 1',
  'return-await':
    'export async function f(): Promise<number> { try { return Promise.resolve(1) } catch { return 0 } }',
  'switch-exhaustiveness-check':
    "export function f(x: 'a' | 'b'): void { switch (x) { case 'a': break } }",
  'no-unsafe-assignment': "export const x: { a: string } = { a: JSON.parse('1') }",
  'no-unsafe-call': 'export const f = (g: any): void => { g() }',
  'no-unsafe-member-access': 'export const f = (g: any): void => { void g.a }',
  'no-unsafe-return': 'export const f = (g: any): string => g',
  'no-unsafe-argument': 'export const f = (g: any): number => Number.parseFloat(g)',
  'no-unnecessary-type-assertion': 'export const f = (s: string): string => s!',
  'no-base-to-string': 'export const f = (o: object): string => String(o)',
  'only-throw-error': "export function f(): void { throw 'text' }",
  'prefer-promise-reject-errors': "export const f = (): Promise<void> => Promise.reject('text')",
  'no-deprecated':
    '/** @deprecated use another */\nfunction old(): void {}\nexport const f = (): void => { old() }',
  'consistent-type-exports': "export { Shape } from './shape'",
}

interface Finding {
  code: string
  filename: string
}

describe('the lint rules that need types', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-typed-lint-'))
  let findings: Finding[] = []

  beforeAll(async () => {
    const options = {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      strict: true,
    }
    const tsconfig = { compilerOptions: { ...options, types: [] }, include: ['*.ts'] }
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    fs.writeFileSync(path.join(folder, 'shape.ts'), 'export interface Shape { a: number }\n')
    for (const [rule, text] of Object.entries(violations))
      fs.writeFileSync(path.join(folder, `${rule}.ts`), `${text}\nexport {}\n`)
    const oxlint = path.join(root, 'node_modules/.bin/oxlint')
    const config = path.join(root, '.oxlintrc.json')
    // Outside the project, oxlint does not find what it asks for types.
    const env = {
      ...process.env,
      OXLINT_TSGOLINT_PATH: path.join(root, 'node_modules/.bin/tsgolint'),
    }
    const flags = ['--config', config, '--format', 'json']
    const output = await run(oxlint, [...flags, '.'], { cwd: folder, env })
      .then(() => '')
      .catch((error: unknown) => (error as { stdout: string }).stdout)
    findings = (JSON.parse(output) as { diagnostics: Finding[] }).diagnostics
  })
  afterAll(() => {
    fs.rmSync(folder, { recursive: true, force: true })
  })

  it('a case exists for each rule that is switched on', () => {
    const file = path.join(root, '.oxlintrc.json')
    const { config } = ts.readConfigFile(file, (name) => fs.readFileSync(name, 'utf8'))
    const { rules } = config as { rules: Record<string, unknown> }
    const names = Object.keys(rules).map((name) => name.replace('typescript/', ''))
    expect(Object.keys(violations).toSorted()).toEqual(names.toSorted())
  })

  it.each(Object.keys(violations))('%s fires', (rule) => {
    const codes = findings
      .filter(({ filename }) => path.basename(filename) === `${rule}.ts`)
      .map(({ code }) => code)
    expect(codes).toContain(`typescript(${rule})`)
  })
})
