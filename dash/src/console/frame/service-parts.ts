import type { Permissions } from '../../api/openapi.js';

/** A part of the page of the service. */
export type ServicePart = 'mails' | 'audit' | 'settings';

const OPENED_BY: readonly (readonly [ServicePart, string])[] = [
  ['mails', 'mails.list'],
  ['audit', 'audit.list'],
  ['settings', 'settings.get'],
];

/** The parts of the service that are open to somebody, in their order. */
export function openParts({ root, resources }: Permissions): readonly ServicePart[] {
  return OPENED_BY.filter(([, resource]) => root || resources.includes(resource)).map(([part]) => part);
}
