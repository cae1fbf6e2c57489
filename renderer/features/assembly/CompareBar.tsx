import { useState, type ReactElement } from 'react'

import { IconButton } from '../../shell/primitives/Button'
import { useJob } from '../../store/job'
import { buildName } from '../../shell/primitives/build-name'
import { compareJob, compareWith, keptBuildsJob, refreshComparison } from './extras'
import { useShownFunction } from './jobs'
import { useAssembly } from './store'

const presets = ['-O3', '-O3 -march=native', '-O3 -march=native -ffast-math', '-O0'] as const
const devicePresets = ['--use_fast_math', '-Xptxas -O1'] as const
const typed = 'typed'

/** What the function is compared with: an earlier build, or the same sources with more flags. */
export function CompareBar(): ReactElement {
  const { against, form } = useAssembly((state) => state)
  const builds = useJob(keptBuildsJob, (state) => state.value) ?? []
  const known: readonly string[] = form === 'machine' ? presets : devicePresets
  const flags = against.startsWith('flags:') ? against.slice('flags:'.length) : ''
  const [isTyping, setTyping] = useState(flags !== '' && !known.includes(flags))
  const earlier = form === 'machine' ? builds.filter(({ current }) => !current) : []
  const choose = (value: string): void => {
    setTyping(value === typed)
    if (value !== typed) compareWith(value)
  }
  return (
    <span className="assembly-compare">
      <label>
        compare with{' '}
        <select
          value={isTyping ? typed : against}
          onChange={(event) => choose(event.target.value)}
          data-testid="assembly-against"
        >
          <option value="">nothing</option>
          <optgroup label="same sources, other flags">
            {known.map((flag) => (
              <option key={flag} value={`flags:${flag}`}>
                {flag}
              </option>
            ))}
            <option value={typed}>other flags …</option>
          </optgroup>
          {earlier.length > 0 && (
            <optgroup label="an earlier build">
              {earlier.slice(0, 20).map((build) => (
                <option key={build.key} value={`build:${build.key}`}>
                  {buildName(build)}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      {isTyping && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const text = new FormData(event.currentTarget).get('flags')
            compareWith(
              typeof text === 'string' && text.trim() !== '' ? `flags:${text.trim()}` : '',
            )
          }}
        >
          <input
            name="flags"
            className="mono"
            aria-label="Compiler flags"
            placeholder="flags, then Enter"
            defaultValue={flags}
            autoFocus
            data-testid="assembly-flags"
          />
        </form>
      )}
      <Progress />
    </span>
  )
}

/** While the other side is compiled, Stop; after a stop, the way to compare all the same. */
function Progress(): ReactElement | null {
  const running = useJob(compareJob, (state) => state.running !== null)
  const isKnown = useJob(compareJob, ({ value, error }) => value !== null || error !== null)
  const against = useAssembly((state) => state.against)
  const hasFunction = useShownFunction() !== null
  if (running) {
    return (
      <>
        <span className="spinner" role="status" aria-label="Comparing" />
        <IconButton
          icon="stop"
          label="Stop"
          onClick={() => void compareJob.stop()}
          testId="assembly-compare-stop"
        />
      </>
    )
  }
  if (isKnown || against === '' || !hasFunction) return null
  return (
    <span role="status">
      <span className="muted">stopped</span>{' '}
      <button
        type="button"
        className="link"
        onClick={refreshComparison}
        data-testid="assembly-compare-again"
      >
        Compare again
      </button>
    </span>
  )
}
