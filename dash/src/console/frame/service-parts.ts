import type { Permissions } from '../../api/openapi.js';

export type ServicePart = 'glance' | 'mails' | 'jobs' | 'audit' | 'backups' | 'migrations' | 'settings';

const OPENED_BY: readonly (readonly [ServicePart, string])[] = [
  ['glance', 'metrics.get'],
  ['mails', 'mails.list'],
  ['jobs', 'jobs.list'],
  ['audit', 'audit.list'],
  ['backups', 'backups.list'],
  ['migrations', 'migrations.list'],
  ['settings', 'settings.get'],
];

export function openParts({ root, resources }: Permissions): readonly ServicePart[] {
  return OPENED_BY.filter(([, resource]) => root || resources.includes(resource)).map(([part]) => part);
}
