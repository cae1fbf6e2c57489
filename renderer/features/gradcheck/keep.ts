import { call } from '../../bridge/bridge'
import { gradcheckStore } from './store'
import { chosenCase } from './run'
import { manifestSaved } from '../../store/inputs'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'

/** Adds the chosen case to opsmith.json, seeds written out; it then runs on every build. */
export async function keepCase(expect: 'passed' | 'failed'): Promise<void> {
  const folder = currentFolder()
  const asked = chosenCase()
  if (folder === null) return
  if (!asked.ok) {
    notifyError(asked.error)
    return
  }
  if (!(await manifestSaved())) return
  const { draft } = gradcheckStore.getState()
  const result = await call('gradcheck.keep', { folder, request: asked.value, name: '', expect })
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  const { entry, added } = result.value
  const place = `gradcheck ${entry + 1} of opsmith.json`
  notify('info', added ? `Saved as ${place}.` : `This case already exists: ${place}.`)
  if (gradcheckStore.getState().draft === draft) gradcheckStore.setState({ entry })
}
