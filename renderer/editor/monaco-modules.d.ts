// Monaco publishes its grammars and services without types.
declare module 'monaco-editor/languages/definitions/cpp/cpp.js' {
  import type { languages } from 'monaco-editor/editor/editor.api.js'
  export const conf: languages.LanguageConfiguration
  export const language: languages.IMonarchLanguage & { keywords: string[] }
}

declare module 'monaco-editor/editor/standalone/browser/standaloneServices.js' {
  export const StandaloneServices: { get<Service>(id: { readonly type?: Service }): Service }
}

declare module 'monaco-editor/editor/contrib/gotoError/browser/markerNavigationService.js' {
  import type {
    IDisposable,
    IEvent,
    IPosition,
    Uri,
    editor,
  } from 'monaco-editor/editor/editor.api.js'

  export type MarkerPlace = { marker: editor.IMarker; index: number; total: number }
  /** What the widget that shows a marker's message walks through. */
  export type MarkerList = IDisposable & {
    readonly onDidChange: IEvent<void>
    readonly selected: MarkerPlace | undefined
    matches(resource: Uri | undefined): boolean
    resetIndex(): void
    move(forward: boolean, model: editor.ITextModel, position: IPosition): boolean
    find(resource: Uri, position: IPosition): MarkerPlace | undefined
  }
  type MarkerNavigationService = {
    registerProvider(provider: {
      getMarkerList(resource: Uri | undefined): MarkerList | undefined
    }): IDisposable
  }
  export const IMarkerNavigationService: { readonly type?: MarkerNavigationService }
}
