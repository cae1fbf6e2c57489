import fs from 'node:fs'
import path from 'node:path'

import { parse } from 'jsonc-parser'
import { marked } from 'marked'
import type { Token, Tokens } from 'marked'
import { describe, expect, it } from 'vitest'

import { verbs } from '../../electron/cli/all-verbs'
import { copyOption, flagOf, targetOption } from '../../electron/cli/options'
import type { Verb } from '../../electron/cli/verb'
import { settingsChange } from '../../electron/contract/settings'
import { parseManifest } from '../../electron/engine/project/read-manifest'
import { headingAnchor } from '../../renderer/shell/primitives/heading-anchor'
import { root } from '../support/installation'
import { printsAsShown, stepsOf } from '../support/shown-commands'

const rootPages = ['ARCHITECTURE', 'CHANGELOG', 'CONTRIBUTING', 'README', 'SECURITY']
const folders = ['docs', 'samples', 'templates', 'electron', 'kernels', '.github']

function pagesBelow(folder: string): string[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/node_modules|(^|\/)build\//.test(name))
    .map((name) => path.join(folder, name))
}

const pages = [...rootPages.map((name) => `${name}.md`), ...folders.flatMap(pagesBelow)]

/** All tokens of a page, those inside of others too. */
const tokensOfPages = new Map<string, Token[]>()
function tokensOf(page: string): Token[] {
  const known = tokensOfPages.get(page)
  if (known) return known
  const tokens: Token[] = []
  const text = fs.readFileSync(path.join(root, page), 'utf8')
  void marked.walkTokens(marked.lexer(text), (token) => void tokens.push(token))
  tokensOfPages.set(page, tokens)
  return tokens
}

const isOf = <Kind extends Token>(kind: Kind['type']): ((token: Token) => token is Kind) =>
  ((token: Token) => token.type === kind) as (token: Token) => token is Kind

function anchorsOf(page: string): string[] {
  const headings = tokensOf(page).filter(isOf<Tokens.Heading>('heading'))
  return headings.map(({ text }) => headingAnchor(text.replaceAll('`', '')))
}

/** Why a link leads nowhere; "" where it leads somewhere. */
function broken(page: string, href: string): string {
  if (/^(https?|mailto):/.test(href)) return ''
  const [file = '', anchor] = href.split('#')
  const target = file === '' ? page : path.join(path.dirname(page), decodeURI(file))
  if (!fs.existsSync(path.join(root, target))) return `there is no ${target}`
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return ''
  return `${target} has no heading #${anchor}`
}

/** What `find` finds in each page, with the page's name. */
function inAllPages(find: (page: string) => string[]): string[] {
  return pages.flatMap((page) => find(page).map((problem) => `${page}: ${problem}`))
}

function brokenLinks(page: string): string[] {
  const tokens = tokensOf(page)
  const links = [
    ...tokens.filter(isOf<Tokens.Link>('link')),
    ...tokens.filter(isOf<Tokens.Image>('image')),
  ]
  return links.map(({ href }) => broken(page, href)).filter(Boolean)
}

describe('links', () => {
  it('lead to pages, headings and pictures that exist', () => {
    expect(inAllPages(brokenLinks)).toEqual([])
  })

  it('index.md, which is the sidebar of the site, lists every page', () => {
    const listed = tokensOf('docs/index.md').filter(isOf<Tokens.Link>('link'))
    const hrefs = new Set(listed.map(({ href }) => path.join('docs', href)))
    const kinds = /^docs\/((tutorials|how-to|reference|explanation)\/)?[^/]+\.md$/
    const wanted = pages.filter((page) => kinds.test(page) && page !== 'docs/index.md')
    expect(wanted.filter((page) => !hrefs.has(page))).toEqual([])
  })
})

/** Some keys of the settings file. */
function isSettings(text: string): boolean {
  return text.startsWith('{') && settingsChange.strict().safeParse(parse(text)).success
}

/** An opsmith.json: whole, or some of its keys. */
function problemOfManifest(text: string): string {
  if (isSettings(text)) return ''
  const isWhole = text.trimStart().startsWith('{')
  const whole = isWhole ? text : `{ "name": "my_op", "sources": ["op.cpp"],\n${text}\n}`
  const parsed = parseManifest(whole, '/p/opsmith.json')
  return parsed.ok ? '' : parsed.error.message
}

function wrongManifests(page: string): string[] {
  const blocks = tokensOf(page).filter(isOf<Tokens.Code>('code'))
  const json = blocks.filter(({ lang }) => lang === 'json')
  return json.map(({ text }) => problemOfManifest(text)).filter(Boolean)
}

const optionsOf = ({ options }: Pick<Verb, 'options'>): string[] => [
  ...Object.entries(options).map(([name, option]) => flagOf(name, option)),
  '--json',
  '--help',
  '--version',
  targetOption.flag,
  copyOption.flag,
]
const allOptions = new Set(verbs.flatMap(optionsOf))
/** Languages of blocks with commands. */
const shells = new Set(['sh', 'console', 'dockerfile', 'yaml'])
/** Pages in which an option in code is one of `opsmith`, not of npm's scripts or of a compiler. */
const aboutOpsmith = /^docs\/(tutorials|how-to|explanation)\/(?!install)/

/** The verb or the option of a command that does not exist; "" where all do. */
function unknownIn(line: string): string {
  const command = /^\s*(?:\$ |RUN |- run: )?opsmith (?:--on \S+ )?([a-z][a-z-]*)([^;|]*)/.exec(line)
  if (!command) return ''
  const [, name = '', rest = ''] = command
  const verb = verbs.find((one) => one.name === name)
  if (!verb) return `no verb: ${line}`
  const known = optionsOf(verb)
  const given = rest.replaceAll(/"[^"]*"/g, '').match(/--[a-z-]+/g) ?? []
  const unknown = given.filter((flag) => !known.includes(flag))
  return unknown.length === 0 ? '' : `no ${unknown.join(', ')}: ${line}`
}

function wrongCommands(page: string): string[] {
  const blocks = tokensOf(page).filter(isOf<Tokens.Code>('code'))
  const shell = blocks.filter(({ lang }) => shells.has(lang ?? ''))
  const inline = tokensOf(page).filter(isOf<Tokens.Codespan>('codespan'))
  const lines = [
    ...shell.flatMap(({ text }) => text.split('\n')),
    ...inline.map(({ text }) => text),
  ]
  const options = aboutOpsmith.test(page) ? inline.map(({ text }) => /^--[a-z-]+/.exec(text)) : []
  const unknown = options.map((match) => match?.[0] ?? '').filter((one) => one !== '')
  return [
    ...lines.map(unknownIn).filter(Boolean),
    ...unknown.filter((one) => !allOptions.has(one)).map((one) => `no option ${one}`),
  ]
}

describe('code', () => {
  it('in JSON is an opsmith.json, or settings', () => {
    expect(inAllPages(wrongManifests)).toEqual([])
  })

  it('has commands whose verbs and options exist', () => {
    expect(inAllPages(wrongCommands)).toEqual([])
  })
})

describe('README', () => {
  const text = fs.readFileSync(path.join(root, 'README.md'), 'utf8')
  it('has 120 lines at most', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120)
  })

  it('shows what tutorials show, whose commands are run', () => {
    const tutorials = pages.filter((page) => page.startsWith('docs/tutorials/'))
    const run = tutorials
      .flatMap((page) => stepsOf(fs.readFileSync(path.join(root, page), 'utf8')))
      .filter((step) => step.kind === 'command')
    const shown = stepsOf(text).filter((step) => step.kind === 'command')
    const others = shown.filter(
      (step) =>
        !run.some((one) => one.command === step.command && printsAsShown(one.shown, step.shown)),
    )
    // This wheel takes half a minute of a processor; ship-a-wheel.md makes a smaller one.
    expect(others.map(({ command }) => command)).toEqual([
      'opsmith export . --as setuptools --out dist',
    ])
  })
})
