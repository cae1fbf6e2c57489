import fs from 'node:fs'
import path from 'node:path'

import ts from 'typescript'
import { describe, expect, it } from 'vitest'

import { root } from '../support/installation'

const renderer = path.join(root, 'renderer')

function filesBelow(folder: string, ending: RegExp): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => path.join(folder, name))
}

/** The selectors of a style sheet, without what is between braces. */
function selectorsOf(file: string): string[] {
  const text = fs.readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  return [...text.matchAll(/([^{}]+)\{/g)].flatMap(([, before = '']) =>
    before
      .split(',')
      .map((selector) => selector.trim())
      .filter((selector) => selector !== '' && !selector.startsWith('@')),
  )
}

function classesIn(selector: string): string[] {
  return [...selector.matchAll(/\.([a-zA-Z][\w-]*)/g)].flatMap(([, name]) => name ?? [])
}

/** The words of all literals in className attributes: computed ones count by their parts. */
function classesUsedIn(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    fs.readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const found: string[] = []
  const read = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node)
    if (isText) found.push(...node.text.split(/\s+/).filter((word) => word !== ''))
    ts.forEachChild(node, read)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isJsxAttribute(node) && /^className$/.test(node.name.getText(source))) read(node)
    else ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const features = fs
  .readdirSync(path.join(renderer, 'features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

describe('styles', () => {
  it('of a feature apply only inside that feature', () => {
    const strays = features.flatMap((feature) =>
      filesBelow(path.join(renderer, 'features', feature), /\.css$/).flatMap((file) =>
        selectorsOf(file)
          .filter((selector) => !selector.startsWith(':root'))
          .filter((selector) => !classesIn(selector).some((name) => name.startsWith(`${feature}-`)))
          .map((selector) => `${path.relative(root, file)}: ${selector}`),
      ),
    )
    expect(strays).toEqual([])
  })

  it('of one feature are not borrowed by another, nor by the shell', () => {
    const owners = features.map((feature) => ({
      feature,
      own: new Set(
        filesBelow(path.join(renderer, 'features', feature), /\.css$/)
          .flatMap(selectorsOf)
          .flatMap(classesIn)
          .filter((name) => name.startsWith(`${feature}-`)),
      ),
    }))
    const borrowed = filesBelow(renderer, /\.tsx$/).flatMap((file) => {
      const used = classesUsedIn(file)
      return owners
        .filter(
          ({ feature }) => !file.includes(`${path.sep}features${path.sep}${feature}${path.sep}`),
        )
        .flatMap(({ own }) => used.filter((name) => own.has(name)))
        .map((name) => `${path.relative(root, file)}: ${name}`)
    })
    expect(borrowed).toEqual([])
  })
})
