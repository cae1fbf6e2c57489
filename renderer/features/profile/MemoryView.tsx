import type { ReactElement } from 'react'

import type { ProfileMemory, ProfileReport } from '../../../electron/contract/profile'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatCount } from '../../shell/primitives/format'
import { useDeviceName } from '../../store/cuda'
import { profileStore } from './profile'
import { bytesText, exactTime, shareText } from '../../shell/spans/times'

/** Who holds memory when the most is held; the curve over time lies below the timeline. */
export function MemoryView({ report }: { report: ProfileReport }): ReactElement {
  if (report.memory.length === 0) return <EmptyState quiet text="The run allocates no memory." />
  return (
    <div className="profile-memory scroll">
      {report.memory.map((memory) => (
        <Device key={memory.device} memory={memory} report={report} />
      ))}
    </div>
  )
}

type Props = { memory: ProfileMemory; report: ProfileReport }

function Device({ memory, report }: Props): ReactElement {
  const { device, peak, peakTime, end, holders } = memory
  const { inputBytes, resultBytes } = report.trace
  const nameOf = useDeviceName()
  return (
    <section aria-label={`Memory of ${device}`}>
      <dl className="profile-numbers">
        <div>
          <dt>peak on {nameOf(device)}</dt>
          <dd className="number" data-testid="profile-peak">
            {bytesText(peak)}
          </dd>
        </div>
        <div>
          <dt>time of the peak</dt>
          <dd className="number">{exactTime(peakTime)}</dd>
        </div>
        <div>
          <dt>at the end</dt>
          <dd className="number">{bytesText(end)}</dd>
        </div>
        <div>
          <dt>held by results</dt>
          <dd className="number">{bytesText(resultBytes)}</dd>
        </div>
        <div>
          <dt>arguments (not included)</dt>
          <dd className="number">{bytesText(inputBytes)}</dd>
        </div>
      </dl>
      {device !== 'cpu' && (
        <p className="muted">
          The numbers are sizes of blocks of libtorch’s caching allocator, which rounds sizes up.
          They do not include the device context, the code of kernels, and workspaces that libraries
          keep between runs. Together, these need 300 to 500 MB on a GPU.
        </p>
      )}
      {holders.length > 0 && (
        <table className="table" data-testid="profile-holders">
          <thead>
            <tr>
              <th scope="col">allocated by (in use at the peak)</th>
              <th scope="col" className="right">
                bytes
              </th>
              <th scope="col">called at</th>
            </tr>
          </thead>
          <tbody>
            {holders.map((holder) => (
              <tr key={`${holder.name} ${holder.file}:${holder.line}`}>
                <td>
                  {holder.event < 0 ? (
                    <span className="muted">outside of all operators</span>
                  ) : (
                    <button
                      type="button"
                      className="link mono"
                      title="Show this event in the timeline"
                      onClick={() => {
                        profileStore.setState({
                          view: 'timeline',
                          selection: { kind: 'event', index: holder.event },
                        })
                      }}
                    >
                      {holder.name}
                    </button>
                  )}{' '}
                  {holder.blocks > 1 && (
                    <span className="muted">{formatCount(holder.blocks, 'block')}</span>
                  )}
                </td>
                <td className="right number">
                  {bytesText(holder.bytes)}{' '}
                  <span className="muted">{shareText(holder.bytes / Math.max(1, peak))}</span>
                </td>
                <td>{holder.file !== '' && <FileLink file={holder.file} line={holder.line} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
