import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  operatorCheckNames,
  operatorChecks,
} from '../../electron/contract/operator-checks.generated'
import { root } from '../support/installation'

const run = promisify(execFile)

/** What skeletons are written into, and what they import. */
const copied = [
  'docs',
  'electron',
  'graph',
  'renderer',
  'scripts',
  'native/binding/calls',
  'native/runtime/operator_check/checks',
  'test/component/support',
  'test/native/fixture.ts',
  'test/support',
  'test/tsconfig.json',
  'test/unit',
  '.oxfmtrc.jsonc',
  'package.json',
  'tsconfig.base.json',
  'vitest.config.ts',
]
const linked = ['kernels', 'node_modules', 'samples']

const kinds = {
  panel: 'my-thing',
  check: 'my-thing',
  lint: 'my-thing',
  form: 'my-thing',
  verb: 'my-thing',
  call: 'tensor.maxValue',
  'unit-test': 'my-thing',
}

let clone: string
/** What was written for each kind, relative to the clone. */
const written = new Map<string, string[]>()

interface Ended {
  code: number
  stdout: string
  stderr: string
}

async function runNew(...words: string[]): Promise<Ended> {
  try {
    const script = path.join(clone, 'scripts/new.mjs')
    return { code: 0, ...(await run(process.execPath, [script, ...words])) }
  } catch (error) {
    return error as Ended
  }
}

/** `npm run generate` asks the addon, which is not compiled here. */
async function declareCheck(name: string): Promise<void> {
  const script = path.join(root, 'scripts/generators/operator-checks.mjs')
  const { operatorChecksText } = (await import(pathToFileURL(script).href)) as {
    operatorChecksText(checks: unknown): string
  }
  const known = operatorCheckNames.map((one) => ({ name: one, ...operatorChecks[one] }))
  const added = {
    name,
    title: name,
    meaning: name,
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  }
  const file = path.join(clone, 'electron/contract/operator-checks.generated.ts')
  fs.writeFileSync(file, operatorChecksText([...known, added]))
}

/** What TypeScript finds in these files, which it reads as the tests' project does. */
function typeErrors(files: readonly string[]): string[] {
  const configFile = path.join(clone, 'test/tsconfig.json')
  const { config } = ts.readConfigFile(configFile, (file) => ts.sys.readFile(file)) as {
    config: object
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(configFile))
  const { rootDir: _rootDir, outDir: _outDir, tsBuildInfoFile: _info, ...checked } = options
  const names = files.map((file) => path.join(clone, file))
  const program = ts.createProgram(names, {
    ...checked,
    types: ['node', 'vite/client'],
    composite: false,
    declaration: false,
    emitDeclarationOnly: false,
    noEmit: true,
  })
  const found = names.flatMap((name) => {
    const source = program.getSourceFile(name)
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
  })
  return found.map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n')
    return `${path.relative(clone, file?.fileName ?? '')}: ${text}`
  })
}

beforeAll(async () => {
  clone = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-new-'))
  for (const name of copied)
    fs.cpSync(path.join(root, name), path.join(clone, name), { recursive: true })
  for (const name of linked) fs.symlinkSync(path.join(root, name), path.join(clone, name))
  for (const [kind, name] of Object.entries(kinds)) {
    const { code, stdout, stderr } = await runNew(kind, name)
    expect(code, stderr).toBe(0)
    const files = [...stdout.matchAll(/^(?:wrote|added to) (.+)$/gm)].map(([, file]) => file ?? '')
    written.set(kind, files)
  }
  await declareCheck('my_thing')
}, 600_000)
afterAll(() => {
  fs.rmSync(clone, { recursive: true, force: true })
})

describe('npm run new', () => {
  it('every kind in scripts/templates is listed and has a skeleton', async () => {
    const folders = fs.readdirSync(path.join(root, 'scripts/templates'))
    expect(Object.keys(kinds).toSorted()).toEqual(folders.toSorted())
    const { stdout } = await runNew()
    for (const kind of folders) expect(stdout).toContain(`\n  ${kind} `)
    for (const [kind, files] of written) expect(files.length, kind).toBeGreaterThan(0)
  })

  it('no mark of a template is left in a skeleton', () => {
    for (const file of [...written.values()].flat()) {
      expect(file).not.toMatch(/__[a-zA-Z]+__/)
      expect(fs.readFileSync(path.join(clone, file), 'utf8'), file).not.toMatch(/__[a-zA-Z]+__/)
    }
  })

  it('the types of every skeleton are right', () => {
    const files = [...written.values()].flat().filter((file) => /\.tsx?$/.test(file))
    expect(files.length).toBeGreaterThan(10)
    expect(typeErrors(files)).toEqual([])
  }, 600_000)

  it('every skeleton is formatted', async () => {
    const files = [...written.values()].flat().filter((file) => !file.endsWith('.cpp'))
    const oxfmt = path.join(root, 'node_modules/.bin/oxfmt')
    const { stdout } = await run(oxfmt, ['--list-different', ...files], { cwd: clone }).catch(
      (error: unknown) => error as Ended,
    )
    expect(stdout).toBe('')
  })

  it('the tests of a new lint and of a new panel pass', async () => {
    const vitest = path.join(root, 'node_modules/.bin/vitest')
    const files = ['test/unit/lints.test.ts', 'test/component/my-thing.test.tsx']
    const env = { ...process.env, NO_COLOR: '1', VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true' }
    const ended = await run(vitest, ['run', ...files], { cwd: clone, env }).catch(
      (error: unknown) => error as Ended,
    )
    expect(ended.stdout).toMatch(/Test Files +2 passed/)
    expect(ended.stdout).not.toContain('failed')
  }, 600_000)

  it('nothing that exists is overwritten', async () => {
    const [file = ''] = written.get('lint') ?? []
    const before = fs.readFileSync(path.join(clone, file), 'utf8')
    const again = await runNew('lint', 'my-thing')
    expect(again).toMatchObject({ code: 2, stdout: '' })
    expect(again.stderr).toBe(
      `nothing written: ${written.get('lint')?.join(', ') ?? ''} exists already\n`,
    )
    expect(fs.readFileSync(path.join(clone, file), 'utf8')).toBe(before)
    // verbs/bench is a folder.
    expect((await runNew('verb', 'bench')).stderr).toContain(
      'electron/cli/verbs/bench exists already',
    )
    expect((await runNew('call', 'tensor.page')).stderr).toContain('has tensor.page already')
  })

  it('lines that have no place are printed, and nothing is written', async () => {
    const file = path.join(clone, 'electron/contract/host-calls.ts')
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, text.replace('\n} as const\n', '\n}\n'))
    const { code, stderr } = await runNew('call', 'tensor.leastValue')
    fs.writeFileSync(file, text)
    expect(code).toBe(2)
    expect(stderr).toContain("'tensor.leastValue': call({")
    expect(fs.existsSync(path.join(clone, 'test/native/call-tensor-least-value.test.ts'))).toBe(
      false,
    )
  })

  it.each([
    [['lint', 'MyThing'], '"MyThing" is not a valid name for a lint: write it like my-thing'],
    [['panel', '../x'], '"../x" is not a valid name for a panel'],
    [['verb', ''], '"" is not a valid name for a verb'],
    [
      ['call', 'tensor'],
      '"tensor" is not a valid name for a call to the op host: write a group, a dot and a name, such as tensor.maxValue',
    ],
    [['thing', 'my-thing'], 'unknown kind "thing"'],
    [['lint', 'my', 'thing'], 'one name at a time: "my thing"'],
  ])('npm run new -- %j is refused', async (words, message) => {
    const { code, stderr } = await runNew(...words)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).toContain('usage: npm run new')
  })
})
