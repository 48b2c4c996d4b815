import type { Config } from '../config/config.types.js';

/**
 * Where mails go (CONTRACT §1): over SMTP with `MAIL_URL`; without it into files while developing, and nowhere in
 * production, where nobody would look for the files.
 */
export type MailDeliveryMode = 'smtp' | 'capture' | 'off';

/** How this configuration delivers mail. */
export function mailDeliveryMode({ mail, production }: Pick<Config, 'mail' | 'production'>): MailDeliveryMode {
  if (mail.url !== undefined) return 'smtp';
  return production ? 'off' : 'capture';
}
