import { call } from '../bridge/bridge'
import { notify, notifyError } from '../store/notifications'

/** Shows what is to be known before one works on. */
export async function showStartNews(): Promise<void> {
  const news = await call('app.news', {})
  if (!news.ok) {
    notifyError(news.error)
    return
  }
  for (const sentence of news.value.unread) notify('warning', sentence)
}
