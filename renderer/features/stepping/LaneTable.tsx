import type { ReactElement } from 'react'

import type { StepVariable, StepView } from '../../../electron/contract/gpu-stepping'

/** The value that most lanes have. */
function usual(values: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [first] = [...counts].sort(([, one], [, other]) => other - one)
  return first && first[1] > 1 ? first[0] : null
}

const isSame = ({ values }: StepVariable): boolean =>
  new Set(values.filter((value) => value !== null)).size === 1

/** Each variable of each lane; what is the same in all lanes comes first. */
export function LaneTable({ view }: { view: StepView }): ReactElement {
  const { variables, warp } = view
  const lanes = view.lanes.slice(warp * 32, warp * 32 + 32)
  const same = variables.filter(isSame)
  const different = variables
    .filter((variable) => !isSame(variable))
    .map((variable) => ({ ...variable, usual: usual(variable.values) }))
  return (
    <>
      <dl className="side-pad stepping-same" data-testid="stepping-same">
        {same.map(({ name, type, function: owner, values }) => {
          const value = values.find((one) => one !== null) ?? ''
          return (
            <div key={`${owner} ${name}`} title={`${type} ${name}, of ${owner}, in all lanes`}>
              <dt className="mono">{name}</dt>
              <dd className="mono">{value}</dd>
            </div>
          )
        })}
      </dl>
      <div className="stepping-wide" tabIndex={0} role="region" aria-label="Lanes">
        <table className="stepping-lanes" data-testid="stepping-lanes">
          <thead>
            <tr>
              <th>lane</th>
              <th>thread</th>
              <th>line</th>
              {different.map(({ name, type, function: owner }) => (
                <th key={`${owner} ${name}`} title={`${type} ${name}, of ${owner}`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lanes.map(({ thread, state, place }, lane) => (
              <tr key={thread.join()} className={`stepping-${state}`} title={state}>
                <td>{lane}</td>
                <td>{thread.join(', ')}</td>
                <td>{place ? place.line : state}</td>
                {different.map((variable) => {
                  const value = variable.values[lane] ?? ''
                  const isOther = variable.usual !== null && value !== variable.usual
                  return (
                    <td
                      key={`${variable.function} ${variable.name}`}
                      className={isOther ? 'stepping-other' : ''}
                    >
                      {value}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
