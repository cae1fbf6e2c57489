import fs from 'node:fs'
import path from 'node:path'

import type { AxeResults, RunOptions } from 'axe-core'

import type { App } from './app'
import { anyEditor } from './editor-parts'
import { root } from './installation'

declare global {
  interface Window {
    axe: { run(context: unknown, options: RunOptions): Promise<AxeResults> }
  }
}

/** Of axe's rules those that colours matter to. */
const colourRules = ['color-contrast', 'link-in-text-block']
/** Those that compare an element with others anywhere in the window. */
const windowRules = [
  'bypass',
  'duplicate-id-aria',
  'heading-order',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-one-main',
  'landmark-unique',
  'page-has-heading-one',
  'region',
]

const themes = {
  dark: { colorScheme: 'dark', contrast: 'no-preference' },
  light: { colorScheme: 'light', contrast: 'no-preference' },
  'contrast-dark': { colorScheme: 'dark', contrast: 'more' },
  'contrast-light': { colorScheme: 'light', contrast: 'more' },
} as const
type Theme = keyof typeof themes

interface Looked {
  /** These rules; all when left out. */
  only?: string[]
  /** The parts of the window that these selectors name; all of it when left out. */
  within?: readonly string[]
}

/** axe-core, in a window. */
export class Axe {
  private constructor(private readonly app: App) {}

  static async in(app: App): Promise<Axe> {
    const source = path.join(root, 'node_modules/axe-core/axe.min.js')
    await app.page.evaluate(fs.readFileSync(source, 'utf8'))
    return new Axe(app)
  }

  /** What axe finds wrong in the window, a line for each element. */
  async findings({ only, within }: Looked = {}): Promise<string[]> {
    const { violations, incomplete } = await this.app.page.evaluate(
      ({ include, exclude, ...options }) =>
        window.axe.run(include ? { include, exclude } : { exclude }, options),
      {
        ...(within === undefined ? {} : { include: within.map((part) => [part]) }),
        // The editor is Monaco's, which has its own ways for screen readers.
        exclude: [[anyEditor]],
        resultTypes: ['violations', 'incomplete'],
        // Of the rules that axe leaves out as experimental.
        rules: { 'label-content-name-mismatch': { enabled: true } },
        ...(only ? { runOnly: only } : {}),
      } satisfies RunOptions & { exclude: string[][]; include?: string[][] },
    )
    // axe is not sure of labels on elements without a role: some screen readers say them, some do not.
    const labels = incomplete.filter(({ id }) => id === 'aria-prohibited-attr')
    return [...violations, ...labels].flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary ?? ''}`,
      ),
    )
  }

  /**
   * In all themes: a theme is colours, so that the structure is looked at in one. The theme is dark afterwards.
   * @param within what is new in the window, by selectors; all of it when left out
   */
  async findingsInAllThemes(...within: string[]): Promise<string[]> {
    await this.enterTheme('dark')
    const part = within.length === 0 ? {} : { within }
    const found = (await this.findings(part)).map((line) => `dark: ${line}`)
    if (within.length > 0)
      found.push(...(await this.findings({ only: windowRules })).map((line) => `window: ${line}`))
    for (const theme of ['light', 'contrast-dark', 'contrast-light'] as const) {
      await this.enterTheme(theme)
      const inTheme = await this.findings({ only: colourRules, ...part })
      found.push(...inTheme.map((line) => `${theme}: ${line}`))
    }
    await this.enterTheme('dark')
    return found
  }

  private async enterTheme(theme: Theme): Promise<void> {
    await this.app.page.emulateMedia(themes[theme])
    await this.app.page.locator(`:root[data-theme=${theme}]`).waitFor({ state: 'attached' })
  }
}
