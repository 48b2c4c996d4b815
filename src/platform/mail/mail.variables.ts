import { ConfigError, defineVariables, parseAddress, parseSender } from '../config/config.public.js';
import { smtpOptions } from './smtp-options.js';

/** The server of outgoing mail, and the sender. */
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
    settings: (values, { config: { appName, appUrl } }) => ({
      mail: {
        url: values.MAIL_URL,
        from: values.MAIL_FROM ?? { name: appName, address: `no-reply@${new URL(appUrl).hostname}` },
      },
    }),
    faults: ({ mail: { url } }) => {
      if (url === undefined) return [];
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

declare module '../config/config.types.js' {
  interface Config {
    readonly mail: {
      readonly url: string | undefined;
      readonly from: { readonly name: string; readonly address: string };
    };
  }
}
