import { defineVariables, parseInteger } from '../../platform/config/config.public.js';

export const RECORD_IMPORTS_VARIABLES = defineVariables(
  'Imports',
  {
    IMPORT_MAX_RECORDS: {
      default: 1_000_000,
      parse: parseInteger(1, 100_000_000),
      meaning: 'maximum number of records of a background import; 1 to 100,000,000',
      error: 'import_invalid',
    },
    IMPORT_MAX_BYTES: {
      default: 1_073_741_824,
      parse: parseInteger(1, 107_374_182_400),
      meaning: 'maximum size of a background import, in bytes; 1 to 107,374,182,400',
      error: 'body_too_large',
    },
  },
  {
    settings: (values) => ({
      recordImports: { records: values.IMPORT_MAX_RECORDS, bytes: values.IMPORT_MAX_BYTES },
    }),
  },
);

declare module '../../platform/config/config.types.js' {
  interface Config {
    readonly recordImports: {
      readonly records: number;
      readonly bytes: number;
    };
  }
}
