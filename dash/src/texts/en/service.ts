import type { ReactNode } from 'react';
import { pluralsOf, sentence } from '../sentence.js';

const count = pluralsOf('en');

/** What the service itself has to say, for those who run it. */
export const service = {
  title: 'Service',
  parts: 'Parts of the service',
  partNames: { mails: 'E-mails', audit: 'Audit log', settings: 'Settings' },
  nothingOpen: 'Nothing of this is open to you.',
  more: 'Show more',
  mails: {
    lead: 'Those that were not sent yet, or were given up. What was sent is not kept.',
    state: 'Show',
    all: 'All',
    states: { pending: 'Waiting', failed: 'Given up' },
    none: 'There are none.',
    written: (when: ReactNode) => sentence('written ', when),
    attempts: (attempts: number) => count(attempts, { one: '# attempt', other: '# attempts' }),
    due: (when: ReactNode) => sentence('tried again ', when),
    retry: 'Try again',
    retryOne: (template: string, recipient: string) => `Try again: ${template} to ${recipient}`,
    retried: 'It is tried again at once. What is sent goes from this list.',
    gone: 'This e-mail was sent meanwhile, or is too old.',
  },
  audit: {
    lead: 'Who did what, the newest first. That you read it is written down, too. “Who” and “On what” name one (account:…, user:…) or a kind (guest, system, user), the outcome is success or an error.',
    filter: 'Filter',
    clear: 'Show everything',
    filters: {
      actor: 'Who',
      action: 'Action',
      resource: 'On what',
      outcome: 'Outcome',
      since: 'From',
      until: 'To',
    },
    none: 'Nothing of this kind was done.',
    success: 'Done',
    details: 'Details',
    address: 'Address',
    request: 'Request',
    key: 'API key',
  },
  settings: {
    lead: 'What is in force, from the environment or by default. Secrets are not shown.',
    search: 'Search by name',
    setOnly: 'Only what is set',
    none: 'No setting is called so.',
    empty: 'empty',
    set: 'set',
  },
};
