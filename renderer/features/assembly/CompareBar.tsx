import { useState, type ReactElement } from 'react'

import { IconButton } from '../../shell/primitives/Button'
import { useJob } from '../../store/job'
import { buildName } from '../../shell/primitives/build-name'
import { compareFrom, compareJob, compareWith, keptBuildsJob, refreshComparison } from './extras'
import { useListing, useShownFunction } from './jobs'
import { useAssembly } from './store'

const presets = ['-O2', '-O3', '-O3 -march=native', '-O3 -march=native -ffast-math', '-O0'] as const
const devicePresets = ['--use_fast_math', '-Xptxas -O1'] as const
const typed = 'typed'

/** The two sides of a comparison: builds, or the sources of now with more flags or another compiler. */
export function CompareBar(): ReactElement {
  const { against, base } = useAssembly((state) => state)
  return (
    <span className="assembly-compare">
      {against !== '' && (
        <SideChoice
          label="compare"
          none="this build"
          chosen={base}
          onChoose={compareFrom}
          testId="assembly-base"
        />
      )}
      <SideChoice
        label={against === '' ? 'compare with' : 'with'}
        none="nothing"
        chosen={against}
        onChoose={compareWith}
        testId="assembly-against"
      />
      <Progress />
    </span>
  )
}

type SideProps = {
  label: string
  /** What "" means. */
  none: string
  chosen: string
  onChoose: (side: string) => void
  testId: string
}

function SideChoice({ label, none, chosen, onChoose, testId }: SideProps): ReactElement {
  const { form } = useAssembly((state) => state)
  const builds = useJob(keptBuildsJob, (state) => state.value) ?? []
  const compilers = useListing()?.compilers ?? []
  const isMachine = form === 'machine'
  const known: readonly string[] = isMachine ? presets : devicePresets
  const others: readonly string[] = isMachine ? compilers : []
  const flags = chosen.startsWith('flags:') ? chosen.slice('flags:'.length) : ''
  const isListed = known.includes(flags) || others.includes(flags)
  const [isAsking, setAsking] = useState(false)
  const isTyping = isAsking || (flags !== '' && !isListed)
  const earlier = isMachine ? builds.filter(({ current }) => !current) : []
  const choose = (value: string): void => {
    setAsking(value === typed)
    if (value !== typed) onChoose(value)
  }
  return (
    <>
      <label>
        {label}{' '}
        <select
          value={isTyping ? typed : chosen}
          onChange={(event) => choose(event.target.value)}
          data-testid={testId}
        >
          <option value="">{none}</option>
          <optgroup label="same sources, other flags">
            {known.map((flag) => (
              <option key={flag} value={`flags:${flag}`}>
                {flag}
              </option>
            ))}
            <option value={typed}>other flags …</option>
          </optgroup>
          {others.length > 0 && (
            <optgroup label="same sources, another compiler">
              {others.map((name) => (
                <option key={name} value={`flags:${name}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
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
            setAsking(false)
            onChoose(typeof text === 'string' && text.trim() !== '' ? `flags:${text.trim()}` : '')
          }}
        >
          <input
            name="flags"
            className="mono"
            aria-label="Compiler flags, or a compiler and its flags"
            title="Opsmith adds these flags to the flags of the project. To use another compiler, write it first: g++-12 -O3"
            placeholder="flags, then Enter"
            defaultValue={flags}
            autoFocus={isAsking}
            data-testid={testId === 'assembly-base' ? 'assembly-base-flags' : 'assembly-flags'}
          />
        </form>
      )}
    </>
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
