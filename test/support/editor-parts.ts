import type { Locator, Page } from 'playwright-core'

/**
 * Parts of the editor that Monaco gives no role, label or test id: only its CSS classes find them. This is the one
 * file of the end-to-end tests that names CSS classes; everywhere else a lint rule forbids them.
 */

/** The list of completions, while it is shown. */
export function completions(page: Page): Locator {
  return page.getByRole('listbox', { name: 'Suggest' })
}

/** What the editor shows below a line of the problem there. */
export function problemMessage(page: Page): Locator {
  return page.locator('.marker-widget')
}

/** The box with the parameters of the call around the caret, while it is shown. */
export function signatureHelp(page: Page): Locator {
  return page.locator('.parameter-hints-widget.visible')
}

/** The parameter that the caret is in. */
export function activeParameter(page: Page): Locator {
  return signatureHelp(page).locator('.parameter.active').first()
}

/**
 * Marks in the text: Monaco makes elements of decorations that have a class and nothing else.
 * assembly-after: a remark of clang after a line. assembly-gutter: next to a line that has instructions. assembly-hover: the line of the instruction below the pointer.
 * graph-place: the text of the node that is selected in the graph. git-added: next to a line that the last commit
 * has not. kernels-heat: a cell with what a line of a kernel costs; kernels-heat-old: of sources that were changed.
 * stepping-line: where the threads of a kernel have stopped.
 */
export function decorations(
  page: Page,
  name:
    | 'assembly-after'
    | 'assembly-gutter'
    | 'assembly-hover'
    | 'graph-place'
    | 'git-added'
    | 'kernels-heat'
    | 'kernels-heat-old'
    | 'stepping-line',
): Locator {
  return page.getByTestId(/^editor-/).locator(`.${name}`)
}

/** Lines that only the right side has, of a text next to another. */
export function addedLines(compared: Locator): Locator {
  return compared.locator('.line-insert')
}

/** Every editor of the window. */
export const anyEditor = '.monaco-editor'
