import type { Config } from './platform/config/config.types.js';
import { type ConfigCheck, ConfigError } from './platform/config/parse-config.js';
import { smtpOptions } from './platform/mail/smtp-options.js';
import { providerFaults } from './sign-in/social/providers/provider-settings.js';

/** What the features know to be wrong with their part of a configuration: known before the database is touched. */
export const START_CHECKS: readonly ConfigCheck[] = [mailFaults, socialFaults];

function mailFaults({ mail }: Config): readonly string[] {
  if (mail.url === undefined) return [];
  try {
    smtpOptions(mail.url);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** A provider that has neither a secret nor a key was named already. */
function socialFaults({ auth, production }: Config): readonly string[] {
  const withSecret = auth.providers.filter(
    ({ clientSecret, extra }) => clientSecret !== '' || extra['private_key'] !== undefined,
  );
  return withSecret.flatMap((provider) => providerFaults(provider, production));
}
