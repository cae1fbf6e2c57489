import { useState, type ReactElement } from 'react'

import type { KeptBuild } from '../../../electron/contract/timing-report'
import { buildName, buildTime } from '../../shell/primitives/build-name'
import { Button, IconButton } from '../../shell/primitives/Button'
import { CommitField } from '../../shell/primitives/CommitField'
import { Menu, type MenuItem } from '../../shell/primitives/Menu'
import { OperatorField } from '../../shell/primitives/OperatorField'
import { useTimings } from './store'
import type { OtherDraft } from './draft'
import { editTiming, loadBuilds, nameBuild } from './run'

/** What the call is compared with: expressions, operators, builds. */
export function Against(): ReactElement {
  const against = useTimings((state) => state.draft.against)
  const change = (index: number, next: OtherDraft | null): void =>
    editTiming({
      against: against.flatMap((one, at) => (at !== index ? [one] : next === null ? [] : [next])),
    })
  const add = (one: OtherDraft): void => editTiming({ against: [...against, one] })
  return (
    <div className="timings-against" role="group" aria-label="Comparisons">
      {against.map((other, index) => (
        <div key={index} className="case-call" data-testid="timings-other">
          <span className="muted">against</span>
          {other.kind === 'expression' ? (
            <span
              className="case-arguments timings-expression"
              title="A TorchScript expression that uses the names of the inputs"
            >
              <CommitField
                id={`timings-against-${index}`}
                label=""
                text={other.text}
                placeholder="torch.sigmoid(x)"
                parse={(text) => ({ value: text.trim() })}
                onCommit={(text) => change(index, { ...other, text })}
              />
            </span>
          ) : (
            <>
              <OperatorField
                id={`timings-against-${index}`}
                key={other.op}
                op={other.op}
                onChoose={(op) => change(index, { ...other, op })}
              />
              <span className="case-arguments">
                <CommitField
                  id={`timings-against-args-${index}`}
                  label="on"
                  text={other.argsText}
                  placeholder="the same arguments"
                  parse={(text) => ({ value: text.trim() })}
                  onCommit={(argsText) => change(index, { ...other, argsText })}
                />
              </span>
            </>
          )}
          <IconButton
            icon="clear"
            label="Remove this comparison"
            onClick={() => change(index, null)}
          />
        </div>
      ))}
      <div className="case-options">
        <Builds />
        <button
          type="button"
          className="link"
          data-testid="timings-add-expression"
          onClick={() => add({ kind: 'expression', text: '' })}
        >
          + expression
        </button>
        <button
          type="button"
          className="link"
          data-testid="timings-add-operator"
          onClick={() => add({ kind: 'operator', op: '', argsText: '' })}
        >
          + operator
        </button>
      </div>
    </div>
  )
}

/** The build before this one, and those that were named. */
function Builds(): ReactElement {
  const chosen = useTimings((state) => state.draft.builds)
  const builds = useTimings((state) => state.builds)
  const [naming, setNaming] = useState<KeptBuild | null>(null)
  const older = builds.filter((build) => !build.current)
  const toggle = (name: string): void =>
    editTiming({
      builds: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name],
    })
  const last: MenuItem = {
    key: 'last',
    label:
      older.length === 0
        ? 'The previous build (Opsmith has not kept an earlier build yet)'
        : 'The previous build',
    checked: chosen.includes('last'),
    disabled: older.length === 0 && !chosen.includes('last'),
    testId: 'timings-build-last',
    run: () => toggle('last'),
  }
  const item = (build: KeptBuild): MenuItem => {
    const key = build.name === '' ? build.key : build.name
    return {
      key: build.key,
      label: buildName(build),
      ...(build.name === '' ? {} : { note: buildTime(build) }),
      checked: chosen.includes(key),
      run: () => toggle(key),
    }
  }
  const nameItem = (build: KeptBuild): MenuItem => ({
    key: `name ${build.key}`,
    label: `Name ${build.current ? 'this build' : `the build of ${buildTime(build)}`} …`,
    run: () => setNaming(build),
  })
  return (
    <>
      <span className="timings-builds" onPointerDown={() => void loadBuilds()}>
        <Menu
          name="Builds to compare with"
          testId="timings-builds"
          label={
            chosen.length === 0
              ? 'Compare with builds'
              : `Against ${chosen.map((one) => shortName(one, builds)).join(', ')}`
          }
          sections={[
            [last],
            older.slice(0, mostListed).map(item),
            builds.slice(0, mostNamed).map(nameItem),
          ]}
        />
      </span>
      {naming && <NameField build={naming} onDone={() => setNaming(null)} />}
    </>
  )
}

const mostListed = 12
const mostNamed = 3

function NameField({ build, onDone }: { build: KeptBuild; onDone: () => void }): ReactElement {
  const [text, setText] = useState(build.name)
  const save = (): void => {
    if (text.trim() !== build.name) void nameBuild(build.key, text.trim())
    onDone()
  }
  return (
    <span className="case-option timings-name">
      <label htmlFor="timings-build-name">name of the build of {buildTime(build)}</label>
      <input
        id="timings-build-name"
        className="mono"
        autoFocus
        value={text}
        placeholder="for example: without SIMD"
        data-testid="timings-build-name"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save()
          if (event.key === 'Escape') onDone()
        }}
      />
      <Button onClick={save}>Save the name</Button>
    </span>
  )
}

function shortName(chosen: string, builds: readonly KeptBuild[]): string {
  if (chosen === 'last') return 'the previous build'
  const build = builds.find((one) => one.key === chosen)
  return build ? buildName(build) : chosen
}
