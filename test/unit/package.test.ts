import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { expect, it } from 'vitest'

import { findInstallation } from '../../electron/engine/installation'

type FusesOf = (
  wanted: Record<string, boolean>,
  version: string,
) => { fuses: Record<string, boolean>; leftOut: string[] }

const script = path.resolve(__dirname, '../../scripts/package/fuses.mjs')
const { fusesOf } = (await import(script)) as { fusesOf: FusesOf }

interface Recipe {
  readRecipe: (name: string, file: string) => string
  instructionsOf: (dockerfile: string) => { name: string; value: string }[]
  commandsOf: (workflow: string) => string[]
}

const recipes = path.resolve(__dirname, '../../scripts/package/recipe.mjs')
const { readRecipe, instructionsOf, commandsOf } = (await import(recipes)) as Recipe

const wanted = { runAsNode: true, grantFileProtocolExtraPrivileges: false }

it('leaves out the fuses that an Electron lacks, and names them', () => {
  expect(fusesOf(wanted, '25.1.1')).toEqual({
    fuses: { runAsNode: true },
    leftOut: ['grantFileProtocolExtraPrivileges'],
  })
  expect(fusesOf(wanted, '45.4.1')).toEqual({ fuses: wanted, leftOut: [] })
})

it('finds what compilers read beside the archive of a package', () => {
  const found = findInstallation('/opt/Opsmith/resources/app.asar/dist')
  expect(found.root).toBe('/opt/Opsmith/resources/app.asar.unpacked')
  expect(found.hostEntry).toBe('/opt/Opsmith/resources/app.asar.unpacked/dist/host.cjs')
  expect(findInstallation('/src/opsmith/dist').root).toBe('/src/opsmith')
})

it('reads the instructions of a Dockerfile and the commands of a workflow from a page', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-recipe-'))
  const page = path.join(folder, 'page.md')
  const dockerfile =
    'FROM one AS build\nRUN a b\nENV PATH=c:$PATH\n\nFROM scratch\nCOPY --from=build d e'
  const workflow =
    'steps:\n  - uses: x\n  - run: a b\n  - run: |\n      c "$D"\n      e\n  - uses: y\n    with: z\n  - run: f'
  fs.writeFileSync(
    page,
    `<!-- recipe: container -->\n\`\`\`dockerfile\n${dockerfile}\n\`\`\`\n<!-- recipe: actions -->\n\`\`\`yaml\n${workflow}\n\`\`\`\n`,
  )
  expect(instructionsOf(readRecipe('container', page))).toEqual([
    { name: 'FROM', value: 'one AS build' },
    { name: 'RUN', value: 'a b' },
    { name: 'ENV', value: 'PATH=c:$PATH' },
  ])
  expect(commandsOf(readRecipe('actions', page))).toEqual(['a b', 'c "$D"\ne', 'f'])
  expect(() => readRecipe('other', page)).toThrow('has no recipe "other"')
  fs.rmSync(folder, { recursive: true })
})
