import { machineOf } from '../../electron/contract/project-place'
import { call, listen } from '../bridge/bridge'
import { askText } from './AskText'

/** Asks for the paths that an engine on another machine needs: a dialog of this machine would show this one's files. */
export function answerRemoteQuestions(): void {
  listen('remote.asked', ({ id, target, title, path }) => {
    void askText({
      title: `${machineOf(target)} asks: ${title} (a path on ${machineOf(target)})`,
      action: 'OK',
      initial: path,
    }).then((answer) => call('remote.answer', { id, path: answer }))
  })
}
