import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

export type Question = {
  title: string
  detail: string
  /** The word on the button that goes on. */
  action: string
}

export type AskedQuestion = Question & { answer: (goesOn: boolean) => void }

export const questionStore = createStore<{ asked: AskedQuestion | null }>(() => ({ asked: null }))

export function useQuestion(): AskedQuestion | null {
  return useStore(questionStore, (state) => state.asked)
}

/** Asks whether to go on; false when the user cancels, or when another question comes first. */
export function askToGoOn(question: Question): Promise<boolean> {
  questionStore.getState().asked?.answer(false)
  return new Promise((resolve) => {
    questionStore.setState({
      asked: {
        ...question,
        answer: (goesOn) => {
          questionStore.setState({ asked: null })
          resolve(goesOn)
        },
      },
    })
  })
}
