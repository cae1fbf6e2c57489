// Monaco publishes its grammars and services without types.
declare module 'monaco-editor/languages/definitions/cpp/cpp.js' {
  import type { languages } from 'monaco-editor/editor/editor.api.js'
  export const conf: languages.LanguageConfiguration
  export const language: languages.IMonarchLanguage & { keywords: string[] }
}

declare module 'monaco-editor/editor/standalone/browser/standaloneServices.js' {
  /** Before any of them is used; those of these names take the place of Monaco's. */
  export const StandaloneServices: { initialize(services: Record<string, unknown>): void }
}
