// Words that our style guide rules out, in what users read: documents, and the texts of the window, the command line,
// the op host and set-up. textlint finds them; here are the texts that it gets, and where each comes from.
import fs from 'node:fs'
import path from 'node:path'

import { listFiles } from '../lib/files.mjs'
import { root } from '../lib/paths.mjs'
import { discouragedTerms } from './prose-terms.mjs'

/** Where documents are; `docs/check-parity.md` is generated from PyTorch's own answers. */
const documentFolders = ['docs', 'electron', 'kernels', 'samples', 'templates']
const rootDocuments = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
]
const generatedDocuments = ['docs/check-parity.md']
/** The texts that people meet in each: the window, the command line, errors of the op host and of headers, set-up. */
const sourceFolders = ['electron', 'graph', 'native', 'renderer', 'samples', 'scripts', 'templates']
/** Headers of ours for now, the words that are ruled out, and skeletons whose texts are replaced. */
const skipped = /^native\/include\/|^scripts\/(checks\/prose-terms\.mjs$|templates\/)/

/** @typedef {{ text: string, line: number }} Piece a text of a source file, and the line (from 1) on which it begins */

/** Names and keys have no space; what people read has one. */
const isSentence = (text) => /[A-Za-z]{2,} +[A-Za-z]/.test(text)

/** @returns {Piece[]} the string literals, templates and JSX texts of a TypeScript file */
function textsOfTypeScript(ts, file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  /** @type {Piece[]} */
  const pieces = []
  const visit = (node) => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node)
    if (isText && isSentence(node.text)) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree))
      pieces.push({ text: node.text, line: line + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return pieces
}

/** @returns {Piece[]} the string literals and doc strings of C++, Python and JSON, without those of comments */
function textsOfQuotes(source) {
  const code = source.replaceAll(/^[ \t]*(\/\/|#|\*).*$/gm, '')
  /** @type {Piece[]} */
  const pieces = []
  for (const match of code.matchAll(/"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"/gs)) {
    const text = match[1] ?? match[2] ?? ''
    if (isSentence(text)) pieces.push({ text, line: code.slice(0, match.index).split('\n').length })
  }
  return pieces
}

/** What a file's name ends with, and how its texts are found; Markdown is read whole. */
const typescript = /\.(tsx?|mjs)$/
const quoted = /\.(cpp|cu|h|py|json)$/

/** Every file that is looked at, relative to the clone. */
function proseFiles() {
  // Projects have a build folder; renderer/features/build is a feature.
  const skip = (name) => /(^|\/)(node_modules|\.opsmith)$|^[a-z-]+\/build$/.test(name)
  const under = (folder, pattern) =>
    listFiles(path.join(root, folder), skip)
      .filter((name) => pattern.test(name))
      .map((name) => path.join(folder, name))
  return [
    ...rootDocuments,
    ...documentFolders.flatMap((folder) => under(folder, /\.md$/)),
    ...sourceFolders.flatMap((folder) => [...under(folder, typescript), ...under(folder, quoted)]),
  ].filter((name) => !generatedDocuments.includes(name) && !skipped.test(name))
}

/**
 * What finds discouraged words in a file's text. Sources are searched in their strings, Markdown whole.
 * @returns {Promise<(name: string, source: string) => Promise<string[]>>} a finding for each word: its place, and what
 *   to write
 */
export async function startProse() {
  const [{ default: ts }, { TextlintKernel }, markdown, plain, terminology] = await Promise.all([
    import('typescript'),
    import('@textlint/kernel'),
    import('@textlint/textlint-plugin-markdown'),
    import('@textlint/textlint-plugin-text'),
    import('textlint-rule-terminology'),
  ])
  // Some of textlint's packages are CommonJS: their default export is a level deeper.
  const exported = (module) => module.default?.default ?? module.default
  const kernel = new TextlintKernel()
  const options = {
    plugins: [
      { pluginId: 'markdown', plugin: exported(markdown) },
      { pluginId: 'text', plugin: exported(plain) },
    ],
    rules: [
      {
        ruleId: 'terminology',
        rule: exported(terminology),
        options: { defaultTerms: false, terms: discouragedTerms },
      },
    ],
  }
  return async (name, source) => {
    const pieces = typescript.test(name)
      ? textsOfTypeScript(ts, name, source)
      : quoted.test(name)
        ? textsOfQuotes(source)
        : undefined
    // A text a paragraph, so that textlint runs once a file and its line leads back to the text.
    const text = pieces?.map((piece) => piece.text.replaceAll(/\s+/g, ' ')).join('\n\n') ?? source
    const ext = pieces ? '.txt' : '.md'
    const { messages } = await kernel.lintText(text, { ...options, ext, filePath: name })
    return messages.map(
      ({ line, message }) => `${name}:${pieces?.[(line - 1) / 2]?.line ?? line}: ${message}`,
    )
  }
}

/** @returns {Promise<{ outcome: 'passed' | 'failed', text: string }>} */
export async function checkProse() {
  const discouragedIn = await startProse()
  const findings = []
  for (const name of proseFiles())
    findings.push(...(await discouragedIn(name, fs.readFileSync(path.join(root, name), 'utf8'))))
  return { outcome: findings.length > 0 ? 'failed' : 'passed', text: findings.join('\n') }
}
