import { machineOf } from '../../contract/project-place'
import type { Answer, Asked } from '../../contract/serve'
import type { NamedTarget } from '../../engine/remote/targets'
import type { Desktop } from '../desktop'

/** Dialogs that the engine of another machine asks for. Each says who asks. */
export class RemoteQuestions {
  private readonly asked = new Map<number, (path: string | null) => void>()
  private nextId = 1

  constructor(private readonly desktop: Desktop) {}

  async ask(target: NamedTarget, { dialog, question }: Asked): Promise<Answer> {
    const machine = machineOf(target.name)
    if (dialog === 'message') {
      const message = `${machine} asks: ${question.message}`
      return await this.desktop.ask({ ...question, message })
    }
    // A dialog of this machine's would show this machine's files: the user types a path of the other.
    const id = this.nextId
    this.nextId += 1
    return await new Promise((resolve) => {
      this.asked.set(id, resolve)
      this.desktop.send('remote.asked', {
        id,
        target: target.name,
        title: question.title,
        path: question.defaultPath ?? '',
      })
    })
  }

  /** The window's answer to remote.asked. */
  answer(id: number, path: string | null): void {
    this.asked.get(id)?.(path)
    this.asked.delete(id)
  }

  cancelAll(): void {
    for (const id of [...this.asked.keys()]) this.answer(id, null)
  }
}
