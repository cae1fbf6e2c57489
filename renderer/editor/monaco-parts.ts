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

export { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices.js'
export * as monaco from 'monaco-editor/editor/editor.api.js'
export { default as EditorWorker } from 'monaco-editor/editor/editor.worker.js?worker'
export { jsonDefaults } from 'monaco-editor/languages/features/json/register.js'
export { default as JsonWorker } from 'monaco-editor/language/json/json.worker.js?worker'
