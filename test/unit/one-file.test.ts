import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../support/installation'

const run = promisify(execFile)

const verb = `
import { flag, number } from '../options'
import { printJson } from '../print'
import { defineVerb, projectArgument } from '../verb'

export const verb = defineVerb({
  name: 'count',
  order: 100,
  description: 'count to a number',
  argument: projectArgument,
  options: {
    upTo: number('<number>', 'where to stop', { least: 1, isWhole: true }, '3'),
    backwards: flag('count backwards'),
  },
  run: (_workbench, folder, { upTo = 3, backwards }) => {
    const numbers = Array.from({ length: upTo }, (_, index) => index + 1)
    printJson({ folder, numbers: backwards ? numbers.reverse() : numbers })
    return Promise.resolve(0)
  },
})
`

const form = `
import { ok } from '../../../contract/outcome'
import { treeOf } from '../file-tree'
import type { Form } from '../form'

export const form: Form = {
  id: 'archive',
  order: 100,
  purpose: 'A text that names the project',
  needs: '',
  tools: ['cmake'],
  files: ({ name }) => ok(treeOf({ 'NAME.txt': name })),
  prove: () => Promise.resolve(),
}
`

const lint = `
import { calledName } from '../../syntax/functions'
import { findAll } from '../../syntax/syntax-tree'
import type { Lint } from '../lint'

export const lint: Lint = {
  code: 'opsmith-no-abort',
  documentation: 'An operator ends the process.',
  check: (project) =>
    project.functions.flatMap(({ source, body }) =>
      findAll(body, 'call_expression')
        .filter((call) => calledName(source, call) === 'std::abort')
        .map((node) => ({ source, node, message: 'Throw an error instead.' })),
    ),
}
`

/** A copy of the sources, built as this clone is. */
let clone = ''

function write(name: string, text: string): void {
  const file = path.join(clone, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

async function node(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    XDG_CACHE_HOME: path.join(clone, 'cache'),
    XDG_STATE_HOME: path.join(clone, 'state'),
  }
  const [script = '', ...rest] = args
  return await run(process.execPath, [path.join(clone, script), ...rest], { env, cwd: clone }).then(
    (done) => ({ code: 0, ...done }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  )
}

const opsmith = (...args: string[]): ReturnType<typeof node> => node('dist/cli.cjs', ...args)

const page = (name: string): string =>
  fs.readFileSync(path.join(clone, 'docs/reference', name), 'utf8')

beforeAll(async () => {
  clone = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-one-file-')))
  const copied = ['electron', 'graph', 'scripts', 'docs', 'native/include', 'package.json']
  for (const name of [...copied, 'package-lock.json', 'tsconfig.base.json']) {
    fs.cpSync(path.join(root, name), path.join(clone, name), { recursive: true })
  }
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'))
  write('electron/cli/verbs/count.ts', verb)
  write('electron/engine/project-export/forms/archive.ts', form)
  write('electron/engine/language/lints/rules/no-abort.ts', lint)
  write('project/op.cpp', '#include <cstdlib>\nvoid stop() {\n    std::abort();\n}\n')
  const built = await node('scripts/build.mjs', 'cli')
  if (built.code !== 0) throw new Error(built.stderr)
}, 600_000)
afterAll(() => {
  fs.rmSync(clone, { recursive: true, force: true })
})

describe('adding one file', () => {
  it('one file adds a verb: it is in --help, its options are parsed, and wrong ones are explained', async () => {
    expect((await opsmith('--help')).stdout).toMatch(
      /\n  cuda [^]*\n  count \[options\] <project> /,
    )
    const help = (await opsmith('count', '--help')).stdout
    expect(help).toMatch(/--up-to <number> +where to stop \(default: 3\)/)
    const counted = await opsmith('count', 'project', '--up-to', '4', '--backwards')
    expect(JSON.parse(counted.stdout)).toEqual({
      folder: path.join(clone, 'project'),
      numbers: [4, 3, 2, 1],
    })
    const wrong = await opsmith('count', 'project', '--up-to', 'many')
    expect(wrong.stderr).toContain('--up-to must be an integer of at least 1, not "many".')
    expect(wrong.code).toBe(2)
  })

  it('one file adds an export form: opsmith.json, its JSON Schema and --help know it', async () => {
    expect((await opsmith('export', '--help')).stdout).toMatch(/Forms: library, .*, archive\./)
    const schema = JSON.parse((await opsmith('schema')).stdout) as {
      properties: { exports: { items: { enum: string[] } } }
    }
    expect(schema.properties.exports.items.enum).toContain('archive')
    write('project/opsmith.json', '{ "name": "a", "sources": ["op.cpp"], "exports": ["zip"] }')
    const refused = await opsmith('lint', 'project')
    expect(refused.stderr).toContain('opsmith.json, exports[0]: there is no export form "zip"')
    expect(refused.stderr).toMatch(/choose from addon, .*archive, .*stable\./)
  })

  it('one file adds a lint: it is found in sources, and opsmith.json switches it off', async () => {
    write('project/opsmith.json', '{ "name": "a", "sources": ["op.cpp"], "exports": ["archive"] }')
    const found = await opsmith('lint', 'project')
    expect(found.stdout).toMatch(
      /op\.cpp:3:5: warning: Throw an error instead\. \[opsmith-no-abort\]/,
    )
    expect(found.code).toBe(1)
    const off = '{ "name": "a", "sources": ["op.cpp"], "lints": { "opsmith-no-abort": false } }'
    write('project/opsmith.json', off)
    expect((await opsmith('lint', 'project')).code).toBe(0)
  })

  it('one file makes the reference pages stale until npm run generate', async () => {
    const before = await node('scripts/generate.mjs', '--check')
    expect(before.code).toBe(1)
    expect(before.stdout).toContain('docs/reference/cli.md is stale: run npm run generate')
    expect((await node('scripts/generate.mjs')).code).toBe(0)
    expect(page('cli.md')).toContain('| `--up-to <number>` | where to stop (default: 3) |')
    expect(page('export-forms.md')).toContain('| `archive` | A text that names the project |')
    expect(page('lints.md')).toContain('An operator ends the process.')
    expect((await node('scripts/generate.mjs', '--check')).stdout).toBe('up to date\n')
  })
})

it('a file that exports nothing stops the build, and one under another name stops the program', async () => {
  const file = 'electron/cli/verbs/nothing.ts'
  write(file, 'export const other = 1\n')
  const broken = await node('scripts/build.mjs', 'cli')
  expect(broken.code).toBe(1)
  expect(broken.stderr).toContain('No matching export in "electron/cli/verbs/nothing.ts"')
  write(file, verb)
  expect((await node('scripts/build.mjs', 'cli')).code).toBe(0)
  const { code, stderr } = await opsmith('--help')
  expect(stderr).toContain('./verbs/nothing.ts declares "count": the file must have the same name')
  expect(code).not.toBe(0)
})
