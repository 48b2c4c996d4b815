import { defineVariables, parseAddress, parseInteger, parseOneOf, parseSecret, type ValuesOf } from 'lintel';

/** Variables for operators of Acme, in addition to those of Lintel. */
export const ACME = defineVariables('Acme', {
  ACME_CURRENCY: { parse: parseOneOf('EUR', 'CHF'), default: 'EUR', meaning: 'currency of all prices' },
  ACME_LARGEST_ORDER: { parse: parseInteger(1, 10_000), default: 500, meaning: 'most pieces of one order' },
  ACME_MAIL_URL: {
    parse: parseAddress(['http:', 'https:']),
    default: 'http://127.0.0.1:8125',
    meaning: 'address of the mail service',
  },
  ACME_MAIL_KEY: { parse: parseSecret(8), secret: true, meaning: 'key of the mail service' },
});

/** The values that `@Inject(ACME.token)` injects. */
export type AcmeSettings = ValuesOf<typeof ACME.variables>;
