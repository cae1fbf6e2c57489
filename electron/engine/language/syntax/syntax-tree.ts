import fs from 'node:fs'
import path from 'node:path'

import { Language, Parser } from 'web-tree-sitter'
import type { TreeCursor } from 'web-tree-sitter'

import { setWasmFlags } from './wasm-flags'

/** A node of a syntax tree, copied out of the parser's own memory: nothing has to be freed. */
export interface SyntaxNode {
  /** As the grammar names it (tree-sitter-cuda, C++ and CUDA in one); a token is its own text. */
  type: string
  /** A rule of the grammar; false for a keyword or punctuation. */
  named: boolean
  /** Offsets into the text, in UTF-16 units; `end` is the first that is not of it. */
  start: number
  end: number
  /** What it is to its parent, "declarator"; "" when it is nothing in particular. */
  field: string
  parent: SyntaxNode | undefined
  children: SyntaxNode[]
}

/** Where the parser's files are: beside the bundles, or in the packages of a checkout. */
function grammarFile(root: string, name: string, packageName: string): string {
  const bundled = path.join(root, 'dist', 'grammars', name)
  return fs.existsSync(bundled) ? bundled : path.join(root, 'node_modules', packageName, name)
}

let starting: Promise<Parser> | undefined

async function startParser(root: string): Promise<Parser> {
  setWasmFlags()
  const runtime = fs.readFileSync(grammarFile(root, 'web-tree-sitter.wasm', 'web-tree-sitter'))
  await Parser.init({ wasmBinary: new Uint8Array(runtime) })
  const grammar = fs.readFileSync(grammarFile(root, 'tree-sitter-cuda.wasm', 'tree-sitter-cuda'))
  const parser = new Parser()
  parser.setLanguage(await Language.load(new Uint8Array(grammar)))
  return parser
}

/**
 * Parses C++ or CUDA. Text that is not right parses too: what was not understood is an ERROR node.
 * @param root of the installation, with the parser's files
 */
export async function parseCpp(root: string, text: string): Promise<SyntaxNode> {
  starting ??= startParser(root)
  const parser = await starting
  const tree = parser.parse(text)
  if (!tree) throw new Error('the parser has no C++ grammar')
  const cursor = tree.walk()
  try {
    return copy(cursor, undefined)
  } finally {
    cursor.delete()
    tree.delete()
  }
}

function copy(cursor: TreeCursor, parent: SyntaxNode | undefined): SyntaxNode {
  const node: SyntaxNode = {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    start: cursor.startIndex,
    end: cursor.endIndex,
    field: cursor.currentFieldName ?? '',
    parent,
    children: [],
  }
  if (cursor.gotoFirstChild()) {
    do node.children.push(copy(cursor, node))
    while (cursor.gotoNextSibling())
    cursor.gotoParent()
  }
  return node
}

export function childOf(node: SyntaxNode | undefined, field: string): SyntaxNode | undefined {
  return node?.children.find((child) => child.field === field)
}

/** The children that are no keywords, no punctuation and no comments. */
export function partsOf(node: SyntaxNode | undefined): SyntaxNode[] {
  return (node?.children ?? []).filter((child) => child.named && child.type !== 'comment')
}

/** All nodes of these types below one, in the order of the text; itself included. */
export function findAll(node: SyntaxNode | undefined, ...types: string[]): SyntaxNode[] {
  const found: SyntaxNode[] = []
  const visit = (one: SyntaxNode): void => {
    if (types.includes(one.type)) found.push(one)
    for (const child of one.children) visit(child)
  }
  if (node) visit(node)
  return found
}

/** The nearest node above of one of these types. */
export function above(node: SyntaxNode, ...types: string[]): SyntaxNode | undefined {
  let at = node.parent
  while (at && !types.includes(at.type)) at = at.parent
  return at
}
