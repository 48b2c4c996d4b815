import { Counter } from 'prom-client';
import { METRICS } from '../../kernel/metrics.js';
import type { MailTemplate } from './mailer.port.js';

/** What became of one attempt to send a mail. All but `retried` end it. */
export type MailOutcome = 'sent' | 'retried' | 'refused' | 'expired' | 'given_up' | 'unreadable';

const MAILS = new Counter({
  name: 'lintel_mails_total',
  help: 'Attempts to send a mail, by template and by what became of them.',
  labelNames: ['template', 'outcome'] as const,
  registers: [METRICS],
});

/** Counts one attempt. */
export function countMail(template: MailTemplate, outcome: MailOutcome): void {
  MAILS.inc({ template, outcome });
}
