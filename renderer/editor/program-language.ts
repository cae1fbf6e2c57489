import type { RegisteredKernel } from '../../electron/contract/operators'
import { call } from '../bridge/bridge'
import { addFile, filesStore, projectPath } from '../store/files'
import { programPath } from '../store/program-problems'
import { currentFolder, currentManifest } from '../store/project'
import { schemasStore } from '../store/schemas'
import { loadModel, pathOf } from './models'
import { monaco, type Monaco } from './monaco'
import { operatorOf, operators, ownOverloads } from './program-operators'
import type { KnownOperator } from './program-operators'
import {
  definitionsOf,
  importedNames,
  openCall,
  parameterRanges,
  pathAt,
  pathBefore,
  resolvePath,
} from './program-text'

type Model = Monaco.editor.ITextModel
type Position = Monaco.Position

/** Completion, signatures, hover and definitions in the TorchScript program; other Python files have none. */
export function registerProgramLanguage(): void {
  const isProgram = (model: Model): boolean => pathOf(model) === programPath()
  monaco.languages.registerCompletionItemProvider('python', {
    triggerCharacters: ['.'],
    provideCompletionItems: async (model, position) =>
      isProgram(model) ? await completions(model, position) : { suggestions: [] },
  })
  monaco.languages.registerSignatureHelpProvider('python', {
    signatureHelpTriggerCharacters: ['(', ','],
    provideSignatureHelp: async (model, position) =>
      isProgram(model) ? await signatureHelp(model, position) : null,
  })
  monaco.languages.registerHoverProvider('python', {
    provideHover: async (model, position) =>
      isProgram(model) ? await hover(model, position) : null,
  })
  monaco.languages.registerDefinitionProvider('python', {
    provideDefinition: async (model, position) =>
      isProgram(model) ? await definition(model, position) : null,
  })
}

function textBefore(model: Model, position: Position): string {
  return model.getValueInRange({
    startLineNumber: 1,
    startColumn: 1,
    endLineNumber: position.lineNumber,
    endColumn: position.column,
  })
}

const schemas = (known: KnownOperator): string =>
  known.overloads.map(({ schema }) => schema).join('\n')

function markdownOf(known: KnownOperator): string {
  const docs = ownOverloads(known.name).map(({ doc }) => doc.trim())
  return ['```cpp', schemas(known), '```', ...new Set(docs.filter((doc) => doc !== ''))].join('\n')
}

async function completions(
  model: Model,
  position: Position,
): Promise<Monaco.languages.CompletionList> {
  const before = textBefore(model, position)
  const path = pathBefore(before)
  const word = model.getWordUntilPosition(position)
  const range: Monaco.IRange = {
    startLineNumber: position.lineNumber,
    endLineNumber: position.lineNumber,
    startColumn: word.startColumn,
    endColumn: position.column,
  }
  const names = importedNames(model.getValue())
  const dot = path.lastIndexOf('.')
  const suggestions =
    dot < 0
      ? ownNames(model, range, word.word)
      : await members(resolvePath(path.slice(0, dot), names), range)
  return { suggestions }
}

type Item = Monaco.languages.CompletionItem

/** What stands under torch.ops, a namespace of it, torch.classes and torch itself. */
async function members(module: string, range: Monaco.IRange): Promise<Item[]> {
  const kinds = monaco.languages.CompletionItemKind
  const item = (label: string, kind: number, more: Partial<Item> = {}): Item => ({
    label,
    kind,
    insertText: label,
    range,
    ...more,
  })
  if (module === 'torch.ops') {
    const { namespaces, byName } = await operators()
    return [...namespaces].map(([name, members]) => {
      const isOwn = members.some((bare) => byName.get(`${name}::${bare}`)?.isOwn === true)
      const count = members.length === 1 ? '1 operator' : `${members.length} operators`
      const detail = `${count}${isOwn ? ', including the operators of this project' : ''}`
      return item(name, kinds.Module, { detail, sortText: `${isOwn ? 0 : 1}${name}` })
    })
  }
  if (module.startsWith('torch.classes'))
    return classes(module).map((name) => item(name, kinds.Class))
  const namespace = /^torch\.ops\.(\w+)$/.exec(module)?.[1] ?? (module === 'torch' ? 'aten' : null)
  if (namespace === null) return []
  const { namespaces, byName } = await operators()
  const found = (namespaces.get(namespace) ?? []).flatMap((bare): Item[] => {
    const known = byName.get(`${namespace}::${bare}`)
    // Names that begin with _ are libtorch's own affair: they come last.
    const sortText = `${bare.startsWith('_') ? 1 : 0}${bare}`
    return known ? [item(bare, kinds.Function, { ...described(known), sortText })] : []
  })
  if (module !== 'torch') return found
  const parts = ['ops', 'classes', 'nn', 'linalg', 'special', 'fft', 'jit']
  return [...parts.map((part) => item(part, kinds.Module, { sortText: ` ${part}` })), ...found]
}

function described(known: KnownOperator): Partial<Item> {
  const [first] = known.overloads
  const more = known.overloads.length - 1
  return {
    detail: `${first?.schema ?? ''}${more > 0 ? ` and ${more} more` : ''}`,
    documentation: { value: markdownOf(known) },
  }
}

/** Namespaces of custom classes, or the classes of one. */
function classes(module: string): string[] {
  const known = (schemasStore.getState().load?.classes ?? []).map(({ name }) => name.split('.'))
  const namespace = /^torch\.classes\.(\w+)$/.exec(module)?.[1]
  const names = known.map(([own = '', name = '']) =>
    namespace === undefined ? own : own === namespace ? name : '',
  )
  return [...new Set(names)].filter((name) => name !== '')
}

/** The program's functions and classes, then the other words of its text. */
function ownNames(model: Model, range: Monaco.IRange, typed: string): Item[] {
  const text = model.getValue()
  const definitions = definitionsOf(text)
  const { Function, Class, Text } = monaco.languages.CompletionItemKind
  const defined = definitions.map(({ name, kind, signature, doc }): Item => ({
    label: name,
    insertText: name,
    range,
    detail: signature,
    sortText: `0${name}`,
    kind: kind === 'class' ? Class : Function,
    documentation: doc,
  }))
  const taken = new Set([...definitions.map(({ name }) => name), typed])
  const words = new Set(text.match(/[A-Za-z_]\w{2,}/g))
  const others = [...words].filter((word) => !taken.has(word))
  return [
    ...defined,
    ...others.map((word): Item => ({
      label: word,
      insertText: word,
      range,
      kind: Text,
      sortText: `1${word}`,
    })),
  ]
}

async function signatureHelp(
  model: Model,
  position: Position,
): Promise<Monaco.languages.SignatureHelpResult | null> {
  const written = openCall(textBefore(model, position))
  if (!written) return null
  const texts = await signaturesOf(model, written.path)
  if (texts.length === 0) return null
  const signatures = texts.map(({ label, doc }): Monaco.languages.SignatureInformation => {
    const parameters = parameterRanges(label)
    const named = parameters.findIndex(({ name }) => name === written.keyword)
    return {
      label,
      parameters: parameters.map(({ range }) => ({ label: range })),
      activeParameter: named >= 0 ? named : written.argument,
      ...(doc === '' ? {} : { documentation: { value: doc } }),
    }
  })
  // The first one that has so many arguments.
  const fitting = signatures.findIndex(({ parameters }) => parameters.length > written.argument)
  const activeSignature = Math.max(0, fitting)
  const activeParameter = signatures[activeSignature]?.activeParameter ?? 0
  return { value: { signatures, activeSignature, activeParameter }, dispose: () => undefined }
}

async function signaturesOf(model: Model, path: string): Promise<{ label: string; doc: string }[]> {
  const text = model.getValue()
  const own = definitionsOf(text).find(({ name, kind }) => name === path && kind === 'function')
  if (own) return [{ label: own.signature, doc: own.doc }]
  const operator = operatorOf(resolvePath(path, importedNames(text)))
  const known = operator === null ? undefined : (await operators()).byName.get(operator)
  if (!known) return []
  const docs = new Map(ownOverloads(known.name).map(({ overload, doc }) => [overload, doc]))
  return known.overloads.map(({ schema, overload }) => ({
    label: schema,
    doc: docs.get(overload) ?? '',
  }))
}

type Pointed = { path: string; range: Monaco.IRange }

function pointedAt(model: Model, position: Position): Pointed | null {
  const found = pathAt(model.getLineContent(position.lineNumber), position.column)
  if (!found) return null
  return {
    path: resolvePath(found.path, importedNames(model.getValue())),
    range: {
      startLineNumber: position.lineNumber,
      endLineNumber: position.lineNumber,
      startColumn: found.start,
      endColumn: found.end,
    },
  }
}

async function hover(model: Model, position: Position): Promise<Monaco.languages.Hover | null> {
  const pointed = pointedAt(model, position)
  if (!pointed) return null
  const { path, range } = pointed
  const own = definitionsOf(model.getValue()).find(({ name }) => name === path)
  if (own) {
    const contents = [{ value: `\`\`\`python\n${own.signature}\n\`\`\`` }]
    return { range, contents: own.doc === '' ? contents : [...contents, { value: own.doc }] }
  }
  const operator = operatorOf(path)
  const known = operator === null ? undefined : (await operators()).byName.get(operator)
  if (!known) return null
  const contents = [{ value: markdownOf(known) }]
  const kernels = ownOverloads(known.name).flatMap((one) => one.kernels)
  if (kernels.length > 0) {
    const lines = kernels.map(
      ({ dispatchKey, file, line }) => `- ${dispatchKey}: ${projectPath(file).path}:${line}`,
    )
    contents.push({ value: `Kernels\n\n${lines.join('\n')}` })
  }
  return { range, contents }
}

/** The kernels of an operator; of one that opsmith.json makes (`autograd`), those of its forward function. */
function writtenKernels(operator: string): RegisteredKernel[] {
  const kernels = (name: string): RegisteredKernel[] =>
    ownOverloads(name).flatMap((one) => one.kernels)
  const manifest = currentManifest()
  const entry = manifest?.autograd.find(
    ({ name }) => name === operator || `${manifest.name}::${name}` === operator,
  )
  if (!manifest || !entry) return kernels(operator)
  return [...kernels(entry.forward), ...kernels(`${manifest.name}::${entry.forward}`)]
}

/** What computes comes before what only differentiates or infers shapes. */
const laterKeys = /^(Autograd|Meta|Functionalize|ADInplace)/

async function definition(
  model: Model,
  position: Position,
): Promise<Monaco.languages.Location | null> {
  const pointed = pointedAt(model, position)
  if (!pointed) return null
  const own = definitionsOf(model.getValue()).find(({ name }) => name === pointed.path)
  if (own) return { uri: model.uri, range: lineRange(own.line) }
  const operator = operatorOf(pointed.path)
  const kernels = operator === null ? [] : writtenKernels(operator)
  const kernel = kernels.find(({ dispatchKey }) => !laterKeys.test(dispatchKey)) ?? kernels[0]
  const folder = currentFolder()
  if (!kernel || folder === null || projectPath(kernel.file).external) return null
  const place = await call('program.kernel', { folder, file: kernel.file, line: kernel.line })
  const { file, line } = place.ok ? place.value : kernel
  const { path } = projectPath(file)
  if (!filesStore.getState().files[path]) addFile(path, false)
  // The editor shows where a definition lies before it goes there: it looks for the text.
  const target = await loadModel(path)
  return target ? { uri: target.uri, range: lineRange(line) } : null
}

function lineRange(line: number): Monaco.IRange {
  return { startLineNumber: line, endLineNumber: line, startColumn: 1, endColumn: 1 }
}
