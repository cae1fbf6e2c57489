import stylistic from '@stylistic/eslint-plugin'
import reactHooks from 'eslint-plugin-react-hooks'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

/** Rules for types that need no type information; .oxlintrc.json has those that do. */
const types = {
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
  '@typescript-eslint/no-import-type-side-effects': 'error',
  '@typescript-eslint/no-non-null-assertion': 'error',
}

/** Formatting that saves lines and costs readers. */
const honestFormatting = [
  {
    selector: 'SpreadElement > ObjectExpression.argument',
    message:
      'Write the properties out: an object literal is not spread into another to save lines.',
  },
  {
    selector: 'SpreadElement > ArrayExpression.argument',
    message: 'Write the elements out: an array literal is not spread to save lines.',
  },
  {
    selector: 'SpreadElement > TSAsExpression.argument > ArrayExpression',
    message: 'Write the elements out: a tuple is not spread into a call.',
  },
]

const noClassMessage =
  'Find elements by role, label, text or data-testid: CSS classes change with the looks. test/support/editor-parts.ts holds what only a class finds.'
const classSelector = '/^(?:[^[]|\\[[^\\]]*\\])*[.][A-Za-z]/'
const selectorCalls =
  'CallExpression[callee.property.name=/^(locator|querySelector|querySelectorAll|closest|matches|waitForSelector|getElementsByClassName)$/]'

/** Selectors of CSS classes in tests of the window; a dot within brackets belongs to the value of an attribute. */
const noClassSelectors = [
  { selector: `${selectorCalls} > Literal[value=${classSelector}]`, message: noClassMessage },
  {
    selector: `${selectorCalls} > TemplateLiteral > TemplateElement[value.raw=${classSelector}]`,
    message: noClassMessage,
  },
  // A selector that is kept in a constant.
  { selector: 'Literal[value=/^[.][a-z]+(-[a-z]+)+/]', message: noClassMessage },
  {
    selector: 'Identifier[name=/^(className|classList|getElementsByClassName)$/]',
    message: noClassMessage,
  },
]

/** Rules that need no types. */
const plain = {
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'no-var': 'error',
  'prefer-const': 'error',
  'no-console': 'error',
  'no-eval': 'error',
  'no-implied-eval': 'error',
  'no-new-func': 'error',
  'no-self-compare': 'error',
  'no-template-curly-in-string': 'error',
  'no-unreachable-loop': 'error',
  'no-unused-expressions': 'error',
  'no-fallthrough': 'error',
  'no-empty': ['error', { allowEmptyCatch: false }],
  'no-async-promise-executor': 'error',
  'no-promise-executor-return': 'off',
  'require-atomic-updates': 'off',
  // Past 500 lines of code a file has more than one subject.
  'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
  'no-restricted-syntax': ['error', ...honestFormatting],
  // Functions and classes stand apart; a line saved here costs every reader.
  '@stylistic/padding-line-between-statements': [
    'error',
    { blankLine: 'always', prev: ['function', 'class'], next: '*' },
    { blankLine: 'always', prev: '*', next: ['class'] },
    { blankLine: 'any', prev: 'function-overload', next: 'function' },
  ],
  '@stylistic/lines-between-class-members': ['error', 'always', { exceptAfterSingleLine: true }],
}

const noDefaultExport = {
  'no-restricted-exports': [
    'error',
    { restrictDefaultExports: { direct: true, named: true, defaultFrom: true, namedFrom: true } },
  ],
}

export default defineConfig([
  {
    ignores: [
      'dist/',
      '.setup/',
      'release/',
      'node_modules/',
      'test/cases/',
      'samples/',
      '**/.opsmith/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['electron/**/*.ts', 'graph/**/*.ts', 'renderer/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}'],
    plugins: { '@typescript-eslint': tseslint.plugin, '@stylistic': stylistic },
    languageOptions: { parser: tseslint.parser },
    rules: { ...plain, ...types, ...noDefaultExport },
  },
  {
    // They run where there is no Electron. What depends on it is decided in electron/main and handed in.
    files: ['electron/{contract,engine,host,cli}/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...honestFormatting,
        {
          selector:
            "MemberExpression[property.name='electron'], MemberExpression[property.value='electron']",
          message: 'Only electron/main knows Electron: take what depends on it as an option.',
        },
      ],
    },
  },
  {
    // A call with five arguments in a row cannot be read without its declaration.
    files: ['electron/{contract,engine,host,main,preload}/**/*.ts'],
    rules: { 'max-params': ['error', 4] },
  },
  {
    files: ['renderer/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      // One door: renderer/bridge. Everything else uses its typed calls.
      'no-restricted-properties': [
        'error',
        {
          object: 'window',
          property: 'opsmith',
          message: 'Only renderer/bridge touches the preload.',
        },
      ],
      'no-restricted-syntax': [
        'error',
        ...honestFormatting,
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: 'Text of compilers and user code is shown as text.',
        },
      ],
    },
  },
  {
    files: ['renderer/bridge/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // The command line talks on the console; so do tests that explain why they skip.
    files: ['electron/cli/**/*.ts', 'test/**/*.{ts,tsx}'],
    rules: { 'no-console': 'off' },
  },
  {
    // CMake and pkg-config write their variables as ${…}.
    files: ['electron/engine/project-export/{forms,templates}/*.ts'],
    rules: { 'no-template-curly-in-string': 'off' },
  },
  {
    files: ['test/**/*.{ts,tsx}'],
    // Tests look into answers whose type is what they test.
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['test/e2e/**/*.ts', 'test/support/**/*.ts', 'test/component/**/*.tsx'],
    ignores: ['test/support/editor-parts.ts'],
    rules: { 'no-restricted-syntax': ['error', ...honestFormatting, ...noClassSelectors] },
  },
  {
    // Plain Node; checked by the compiler through JSDoc. Their words are for the terminal.
    files: ['scripts/**/*.mjs', '*.config.mjs', '.dependency-cruiser.mjs'],
    plugins: { '@stylistic': stylistic },
    rules: { ...plain, 'no-console': 'off' },
  },
  {
    files: ['*.config.ts'],
    plugins: { '@stylistic': stylistic },
    languageOptions: { parser: tseslint.parser },
    rules: plain,
  },
])
