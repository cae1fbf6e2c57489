// Every editing feature, but of Monaco's eighty languages only ours. The features have to be here from
// the start: the JSON language brings all of them along when it is first used, and those that come
// after the first editor was made look in vain for their services (monaco-editor 0.57,
// internal/common/workers.js).
import 'monaco-editor/features/register.all.js'
// "All" leaves out the colours of a whole file, and takes those of a part of it, which clangd has not.
import 'monaco-editor/editor/contrib/semanticTokens/browser/documentSemanticTokens.js'
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
