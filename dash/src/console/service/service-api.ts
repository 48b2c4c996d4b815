import type { EventPage, MailPage, SettingInForce } from '../../api/openapi.js';
import { authorized } from '../../session/authorized.js';
import { type AuditFilter, auditPath } from './audit-query.js';

/** Under which key everything of the service is kept. */
export const SERVICE = ['account', 'service'];

/** What has become of a mail that was not sent. */
export type MailState = MailPage['items'][number]['state'];

export const listMails = (state: MailState | null, cursor: string): Promise<MailPage> =>
  data(`/api/mails?${new URLSearchParams({ ...(state && { state }), ...(cursor !== '' && { cursor }) }).toString()}`);

export const retryMail = (id: string): Promise<unknown> =>
  authorized('POST', `/api/mails/${encodeURIComponent(id)}/retry`);

export const listEvents = (filter: AuditFilter, cursor: string): Promise<EventPage> => data(auditPath(filter, cursor));

export const listSettings = (): Promise<readonly SettingInForce[]> => data('/api/settings');

async function data<T>(path: string): Promise<T> {
  return (await authorized<{ data: T }>('GET', path)).data;
}
