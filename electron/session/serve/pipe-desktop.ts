import type { AppEvent, AppEventName } from '../../contract/app-calls'
import type { OpenQuestion, Question, SaveQuestion } from '../../contract/desktop'
import { answers } from '../../contract/serve'
import type { Asked } from '../../contract/serve'
import type { NumberedMessages } from '../../engine/remote/numbered-messages'
import { moveToTrash } from '../../engine/project/trash'
import type { Desktop } from '../desktop'
import { EventOutbox } from './event-outbox'

/** The user is at the other end of a pipe: dialogs are shown there. */
export class PipeDesktop implements Desktop {
  private readonly outbox: EventOutbox
  private readonly asked = new Map<number, (answer: unknown) => void>()
  private nextId = 1
  private isGone = false

  /** @param onStuck nobody reads the events */
  constructor(
    readonly version: string,
    private readonly writer: NumberedMessages,
    onStuck: () => void,
  ) {
    this.outbox = new EventOutbox(writer, onStuck)
  }

  send<N extends AppEventName>(name: N, payload: AppEvent<N>): void {
    this.outbox.send(name, payload)
  }

  /** Undefined where nobody answers any more. */
  private async question(asked: Asked): Promise<unknown> {
    if (this.isGone) return undefined
    const id = this.nextId
    this.nextId += 1
    return await new Promise((resolve) => {
      this.asked.set(id, resolve)
      this.writer.send({ kind: 'question', id, asked })
    })
  }

  /** The other side has answered a question. */
  noteAnswer(id: number, answer: unknown): void {
    this.asked.get(id)?.(answer)
    this.asked.delete(id)
  }

  /** The other side has gone: what it was asked is cancelled. */
  noteGone(): void {
    this.isGone = true
    this.cancelQuestions()
  }

  /** Nobody answers what was asked so far. */
  cancelQuestions(): void {
    for (const id of [...this.asked.keys()]) this.noteAnswer(id, undefined)
  }

  async askToOpen(question: OpenQuestion): Promise<string | null> {
    const answer = answers.open.safeParse(await this.question({ dialog: 'open', question }))
    return answer.success ? answer.data : null
  }

  async askToSave(question: SaveQuestion): Promise<string | null> {
    const answer = answers.save.safeParse(await this.question({ dialog: 'save', question }))
    return answer.success ? answer.data : null
  }

  async ask(question: Question): Promise<number> {
    const answer = answers.message.safeParse(await this.question({ dialog: 'message', question }))
    return answer.success ? answer.data : question.cancelId
  }

  /** The file manager is on the user's machine, the file is not. */
  showInFolder(file: string): void {
    process.stderr.write(
      `opsmith: a file manager cannot show ${file}: the window is on another machine.\n`,
    )
  }

  openFolder(folder: string): Promise<string> {
    return Promise.resolve(`${folder} is on another machine.`)
  }

  async moveToTrash(file: string): Promise<void> {
    await moveToTrash(file)
  }
}
