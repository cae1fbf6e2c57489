import { call } from '../bridge/bridge'
import { notify, notifyError } from '../store/notifications'
import { showReleaseNotes } from './ReleaseNotes'

/** Shows what is to be known before one works on. */
export async function showStartNews(): Promise<void> {
  const news = await call('app.news', {})
  if (!news.ok) {
    notifyError(news.error)
    return
  }
  const { unexpectedEnd, releaseNotes } = news.value
  showReleaseNotes(releaseNotes)
  if (unexpectedEnd) {
    notify('warning', unexpectedEnd.message, {
      hint: `The report is in ${unexpectedEnd.report}. Nothing was sent.`,
      action: { label: 'Show the report', run: () => void call('app.showReport', {}) },
    })
  }
  for (const sentence of news.value.unread) notify('warning', sentence)
}
