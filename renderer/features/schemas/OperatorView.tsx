import type { ReactElement } from 'react'

import type { OperatorDetail, RegisteredKernel } from '../../../electron/contract/operators'
import { Button } from '../../shell/primitives/Button'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { FileLink } from '../../shell/primitives/FileLink'
import { runCommand } from '../../store/commands'
import { operatorKey } from '../../store/schemas'
import { SchemaText } from './SchemaText'

/** Everything the dispatcher knows about one overload. */
export function OperatorView({ operator }: { operator: OperatorDetail }): ReactElement {
  const run = (): void => {
    runCommand('run.choose', operatorKey(operator))
  }
  return (
    <div className="operator">
      <div className="schemas-operator-schema">
        <SchemaText schema={operator.schema} />
        <span className="schemas-operator-actions">
          <CopyButton text={() => operator.schema} label="Copy the schema" />
          <Button onClick={run} title={`Run ${operatorKey(operator)}`}>
            Run
          </Button>
        </span>
      </div>
      {operator.doc !== '' && <p className="schemas-operator-doc selectable">{operator.doc}</p>}
      <Kernels kernels={operator.kernels} />
    </div>
  )
}

function Kernels({ kernels }: { kernels: RegisteredKernel[] }): ReactElement {
  if (kernels.length === 0) {
    return (
      <p className="muted">
        This operator has no kernel, so every call fails. Register a kernel with TORCH_LIBRARY_IMPL.
      </p>
    )
  }
  return (
    <table className="table kernels">
      <thead className="unseen">
        <tr>
          <th scope="col">Dispatch key</th>
          <th scope="col">Kernel registered at</th>
        </tr>
      </thead>
      <tbody>
        {kernels.map((kernel, index) => (
          <tr key={index}>
            <td>
              <code>{kernel.dispatchKey}</code>
            </td>
            <td>
              {kernel.file === '' ? (
                <span className="muted">unknown</span>
              ) : (
                <FileLink file={kernel.file} line={kernel.line} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
