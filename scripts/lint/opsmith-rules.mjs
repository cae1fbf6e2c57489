// Lint rules of this project, for oxlint (.oxlintrc.json). Each forbids pieces of syntax, by ESLint's selectors.

/** @typedef {{ selector: string, message: string }} Forbidden */

/** A rule that reports whatever matches one of the selectors. @param {Forbidden[]} forbidden */
function forbid(forbidden) {
  return {
    create(context) {
      const visitor = {}
      for (const { selector, message } of forbidden) {
        visitor[selector] = (node) => context.report({ node, message })
      }
      return visitor
    },
  }
}

const noClassMessage =
  'Find elements by role, label, text or data-testid, because CSS classes change with the design. For elements that have only a class, use test/support/editor-parts.ts.'
const classSelector = '/^(?:[^[]|\\[[^\\]]*\\])*[.][A-Za-z]/'
const selectorCalls =
  'CallExpression[callee.property.name=/^(locator|querySelector|querySelectorAll|closest|matches|waitForSelector|getElementsByClassName)$/]'

const rules = {
  /** Formatting that saves lines and costs readers. */
  'no-literal-spread': forbid([
    {
      selector: 'SpreadElement > ObjectExpression.argument',
      message:
        'Write the properties out. Do not spread an object literal into another one to save lines.',
    },
    {
      selector: 'SpreadElement > ArrayExpression.argument',
      message: 'Write the elements out. Do not spread an array literal to save lines.',
    },
    {
      selector: 'SpreadElement > TSAsExpression.argument > ArrayExpression',
      message: 'Write the elements out. Do not spread a tuple into a call.',
    },
  ]),

  /** The engine, the op host and the command line run where there is no Electron. */
  'no-electron': forbid([
    {
      selector:
        "MemberExpression[property.name='electron'], MemberExpression[property.value='electron']",
      message:
        'Only electron/main may use Electron. Pass values that depend on Electron as options.',
    },
  ]),

  'no-inner-html': forbid([
    {
      selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
      message: 'Do not set HTML: show the output of compilers and user code as text.',
    },
  ]),

  /** Selectors of CSS classes in tests of the window; a dot within brackets belongs to the value of an attribute. */
  'no-class-selectors': forbid([
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
  ]),
}

export default { meta: { name: 'opsmith' }, rules }
