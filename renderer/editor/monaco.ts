// Only what this editor offers: Monaco's own entry point brings eighty languages along.
import 'monaco-editor/features/anchorSelect/register.js'
import 'monaco-editor/features/bracketMatching/register.js'
import 'monaco-editor/features/caretOperations/register.js'
import 'monaco-editor/features/clipboard/register.js'
import 'monaco-editor/features/codeEditor/register.js'
import 'monaco-editor/features/codicon/register.js'
import 'monaco-editor/features/comment/register.js'
import 'monaco-editor/features/contextmenu/register.js'
import 'monaco-editor/features/cursorUndo/register.js'
import 'monaco-editor/features/diffEditor/register.js'
import 'monaco-editor/features/dnd/register.js'
import 'monaco-editor/features/find/register.js'
import 'monaco-editor/features/folding/register.js'
import 'monaco-editor/features/format/register.js'
import 'monaco-editor/features/gotoError/register.js'
import 'monaco-editor/features/gotoLine/register.js'
import 'monaco-editor/features/gotoSymbol/register.js'
import 'monaco-editor/features/hover/register.js'
import 'monaco-editor/features/indentation/register.js'
import 'monaco-editor/features/inPlaceReplace/register.js'
import 'monaco-editor/features/lineSelection/register.js'
import 'monaco-editor/features/linesOperations/register.js'
import 'monaco-editor/features/links/register.js'
import 'monaco-editor/features/longLinesHelper/register.js'
import 'monaco-editor/features/middleScroll/register.js'
import 'monaco-editor/features/multicursor/register.js'
import 'monaco-editor/features/parameterHints/register.js'
import 'monaco-editor/features/quickOutline/register.js'
import 'monaco-editor/features/readOnlyMessage/register.js'
import 'monaco-editor/features/referenceSearch/register.js'
import 'monaco-editor/features/smartSelect/register.js'
import 'monaco-editor/features/snippet/register.js'
import 'monaco-editor/features/stickyScroll/register.js'
import 'monaco-editor/features/suggest/register.js'
import 'monaco-editor/features/toggleTabFocusMode/register.js'
import 'monaco-editor/features/tokenization/register.js'
import 'monaco-editor/features/unicodeHighlighter/register.js'
import 'monaco-editor/features/wordHighlighter/register.js'
import 'monaco-editor/features/wordOperations/register.js'
import 'monaco-editor/features/wordPartOperations/register.js'
import 'monaco-editor/languages/definitions/cpp/register.js'
import 'monaco-editor/languages/definitions/python/register.js'
import 'monaco-editor/languages/features/json/register.js'

import * as monaco from 'monaco-editor/editor/editor.api.js'
import EditorWorker from 'monaco-editor/editor/editor.worker.js?worker'
import { jsonDefaults } from 'monaco-editor/languages/features/json/register.js'
import JsonWorker from 'monaco-editor/language/json/json.worker.js?worker'

import { registerCuda } from './languages'
import { defineThemes } from './themes'

let prepared = false

/** Once, before the first model is made. */
export function prepareMonaco(): void {
  if (prepared) return
  prepared = true
  self.MonacoEnvironment = {
    // Workers are files of our own: nothing is fetched and no blob needs to be allowed.
    getWorker: (_id, label) => (label === 'json' ? new JsonWorker() : new EditorWorker()),
  }
  registerCuda()
  defineThemes()
}

/** Completion and validation of opsmith.json. */
export function setManifestSchema(schema: string): void {
  let parsed: unknown
  try {
    parsed = JSON.parse(schema)
  } catch {
    return // the editor then validates JSON only; main says what is wrong with the manifest
  }
  jsonDefaults.setDiagnosticsOptions({
    validate: true,
    allowComments: true,
    comments: 'ignore',
    trailingCommas: 'warning',
    enableSchemaRequest: false,
    schemaValidation: 'warning',
    schemas: [
      { uri: 'opsmith://schema/opsmith.json', fileMatch: ['opsmith.json'], schema: parsed },
    ],
  })
}

export { monaco }
