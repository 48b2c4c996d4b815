import type {
  BackupOverview,
  EventPage,
  JobPage,
  ListedMigration,
  MailPage,
  Measurement,
  SettingInForce,
} from '../../api/openapi.js';
import { authorized } from '../../session/authorized.js';
import { getPermissions } from '../../session/keys-api.js';
import { type AccountNames, namesOfAccounts } from './account-names.js';
import { accountsIn, type AuditFilter, auditPath } from './audit-query.js';

export const SERVICE = ['account', 'service'];

export type MailState = MailPage['items'][number]['state'];

export type JobState = JobPage['items'][number]['state'];

export const listMails = (state: MailState | null, cursor: string): Promise<MailPage> =>
  data(`/api/mails?${queueQuery(state, cursor)}`);

export const retryMail = (id: string): Promise<unknown> =>
  authorized('POST', `/api/mails/${encodeURIComponent(id)}/retry`);

export const sendTestMail = (email: string): Promise<unknown> => authorized('POST', '/api/mails/test', { email });

export const listJobs = (state: JobState | null, cursor: string): Promise<JobPage> =>
  data(`/api/jobs?${queueQuery(state, cursor)}`);

export const retryJob = (id: string): Promise<unknown> =>
  authorized('POST', `/api/jobs/${encodeURIComponent(id)}/retry`);

export const listBackups = (): Promise<BackupOverview> => data('/api/backups');

export const requestBackup = (): Promise<unknown> => authorized('POST', '/api/backups');

export const listMigrations = (): Promise<readonly ListedMigration[]> => data('/api/migrations');

export const measure = (): Promise<Measurement> => data('/api/metrics');

const listEvents = (filter: AuditFilter, cursor: string): Promise<EventPage> => data(auditPath(filter, cursor));

export interface NamedEvents extends EventPage {
  readonly names: AccountNames;
}

/** Reads events and the names of their accounts. If the names cannot be read, the page shows ids. */
export async function listNamedEvents(filter: AuditFilter, cursor: string): Promise<NamedEvents> {
  const page = await listEvents(filter, cursor);
  const names = await getPermissions()
    .then((permissions) => namesOfAccounts(permissions, accountsIn(page.items)))
    .catch(() => ({}));
  return { ...page, names };
}

export const listSettings = (): Promise<readonly SettingInForce[]> => data('/api/settings');

function queueQuery(state: string | null, cursor: string): string {
  return new URLSearchParams({ ...(state !== null && { state }), ...(cursor !== '' && { cursor }) }).toString();
}

async function data<T>(path: string): Promise<T> {
  return (await authorized<{ data: T }>('GET', path)).data;
}
