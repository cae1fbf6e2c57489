import { isMonacoLoaded, monaco, type Monaco } from './monaco'

import type { ShownTheme } from '../store/theme'

type SemanticColours = Record<
  'type' | 'function' | 'macro' | 'constant' | 'parameter' | 'property' | 'comment',
  string
>

/** Colours for what clangd knows of a name (editor/language/tokens.ts). */
function semantic(colours: SemanticColours): Monaco.editor.ITokenThemeRule[] {
  const groups: [keyof SemanticColours, string[]][] = [
    ['type', ['class', 'interface', 'enum', 'typeParameter', 'concept', 'namespace']],
    ['function', ['function', 'method']],
    ['macro', ['macro']],
    ['constant', ['enumMember']],
    ['parameter', ['parameter']],
    ['property', ['property']],
    ['comment', ['comment']],
  ]
  return groups.flatMap(([colour, tokens]) =>
    tokens.map((token) => ({ token, foreground: colours[colour] })),
  )
}

/** Monaco takes no CSS variables: these repeat shell/styles/tokens.css where the two must meet. */
export function defineThemes(): void {
  monaco.editor.defineTheme('opsmith-dark', {
    base: 'vs-dark',
    inherit: true,
    rules: [
      { token: 'comment', foreground: '7f8a99' },
      { token: 'keyword', foreground: '8ab4f8' },
      { token: 'keyword.directive', foreground: 'c79bf0' },
      { token: 'string', foreground: 'd8a97b' },
      { token: 'number', foreground: '9fd3a0' },
      { token: 'type', foreground: '6fcfc4' },
      ...semantic({
        type: '6fcfc4',
        function: 'e3d08f',
        macro: 'c79bf0',
        constant: '9fd3a0',
        parameter: 'c9b8e8',
        property: 'a9c7e8',
        comment: '7f8a99',
      }),
    ],
    colors: {
      'editor.background': '#1b1d21',
      'editor.foreground': '#d9dce1',
      'editorLineNumber.foreground': '#6c737d',
      'editorLineNumber.activeForeground': '#c3c8cf',
      'editor.lineHighlightBackground': '#22252a',
      'editor.lineHighlightBorder': '#00000000',
      'editorGutter.background': '#1b1d21',
      'editorWidget.background': '#24272c',
      'editorWidget.border': '#3a3f47',
      'editor.selectionBackground': '#2f4a70',
      focusBorder: '#5aa2f5',
    },
  })
  monaco.editor.defineTheme('opsmith-light', {
    base: 'vs',
    inherit: true,
    rules: [
      { token: 'comment', foreground: '5f6b7a' },
      { token: 'keyword', foreground: '0550ae' },
      { token: 'keyword.directive', foreground: '7a3ea8' },
      { token: 'string', foreground: '8f4a14' },
      { token: 'number', foreground: '1a6b35' },
      { token: 'type', foreground: '0f6a6a' },
      ...semantic({
        type: '0f6a6a',
        function: '795e00',
        macro: '7a3ea8',
        constant: '1a6b35',
        parameter: '6b3fa0',
        property: '1f5a96',
        comment: '5f6b7a',
      }),
    ],
    colors: {
      'editor.background': '#ffffff',
      'editor.foreground': '#1f2328',
      'editorLineNumber.foreground': '#8b939c',
      'editor.lineHighlightBackground': '#f4f6f8',
      'editor.lineHighlightBorder': '#00000000',
      'editorWidget.background': '#f6f7f9',
      'editorWidget.border': '#cbd1d8',
      focusBorder: '#0b63c5',
    },
  })
  // Monaco's own themes of high contrast, which know nothing of clangd's kinds of names. Their guides
  // are as strong as text.
  monaco.editor.defineTheme('opsmith-contrast-dark', {
    base: 'hc-black',
    inherit: true,
    rules: [
      { token: 'comment', foreground: '9ad08a' },
      ...semantic({
        type: '7ff0e2',
        function: 'ffe9a0',
        macro: 'e0b8ff',
        constant: 'b5f0b8',
        parameter: 'd8c9ff',
        property: 'b9d8ff',
        comment: '9ad08a',
      }),
    ],
    colors: {
      'editorIndentGuide.background1': '#4a4a4a',
      'editorIndentGuide.activeBackground1': '#a0a0a0',
    },
  })
  monaco.editor.defineTheme('opsmith-contrast-light', {
    base: 'hc-light',
    inherit: true,
    rules: [
      ...semantic({
        type: '004a4a',
        function: '5a4400',
        macro: '5b2183',
        constant: '00501b',
        parameter: '4a2080',
        property: '003b80',
        comment: '3a4a3a',
      }),
    ],
    colors: {
      'editorIndentGuide.background1': '#b0b0b0',
      'editorIndentGuide.activeBackground1': '#404040',
    },
  })
}

const names: Record<ShownTheme, string> = {
  dark: 'opsmith-dark',
  light: 'opsmith-light',
  'contrast-dark': 'opsmith-contrast-dark',
  'contrast-light': 'opsmith-contrast-light',
}

/** Until Monaco is loaded there is no editor to show it. */
export function showEditorTheme(theme: ShownTheme): void {
  if (isMonacoLoaded()) monaco.editor.setTheme(names[theme])
}
