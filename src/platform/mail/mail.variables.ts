import { ConfigError, defineVariables, parseAddress, parseSender } from '../config/config.public.js';
import type { Config } from '../config/config.types.js';
import { smtpOptions } from './transports/smtp-options.js';

/** Destination of mails. `capture` writes files in development, and `off` drops mails in production. */
type MailDelivery = 'own' | 'smtp' | 'capture' | 'off';

export const MAIL_VARIABLES = defineVariables(
  'Mail',
  {
    MAIL_URL: {
      secret: true,
      parse: parseAddress(['smtp:', 'smtps:'], true),
      meaning:
        '`smtp://user:pass@host:port` or `smtps://…`; unset in development keeps each mail as a `.eml` file under `$DATA_DIR/mail`',
    },
    MAIL_FROM: {
      defaultText: '$APP_NAME <no-reply@host of $APP_URL>',
      inForce: ({ mail: { from } }) => `${from.name} <${from.address}>`,
      parse: parseSender,
      meaning: 'sender of all mails',
    },
  },
  {
    settings: (values, { config }) => ({
      mail: {
        delivery: deliveryOf(values.MAIL_URL, config),
        url: values.MAIL_URL,
        from: values.MAIL_FROM ?? { name: config.appName, address: `no-reply@${new URL(config.appUrl).hostname}` },
      },
    }),
    faults: ({ mail: { url, delivery } }) => {
      if (url === undefined) return [];
      if (delivery === 'own') return ['MAIL_URL must not be set, because the application has a custom mail transport'];
      try {
        smtpOptions(url);
        return [];
      } catch (error) {
        if (error instanceof ConfigError) return error.faults;
        throw error;
      }
    },
  },
);

function deliveryOf(url: string | undefined, { ownPorts, production }: Config): MailDelivery {
  if (ownPorts.includes('mailTransport')) return 'own';
  if (url !== undefined) return 'smtp';
  return production ? 'off' : 'capture';
}

declare module '../config/config.types.js' {
  interface Config {
    readonly mail: {
      readonly delivery: MailDelivery;
      readonly url: string | undefined;
      readonly from: { readonly name: string; readonly address: string };
    };
  }
}
