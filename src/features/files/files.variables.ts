import { defineVariables, parseInteger } from '../../platform/config/config.public.js';

const TEBIBYTE = 1_099_511_627_776;

/** Files of records (CONTRACT §12). */
export const FILES_VARIABLES = defineVariables(
  'Files',
  {
    FILES_MAX_SIZE: {
      default: 1_073_741_824,
      parse: parseInteger(1, TEBIBYTE),
      meaning: 'bytes of the largest file that is taken',
    },
    FILES_QUOTA: {
      default: 0,
      parse: parseInteger(0, 1_000 * TEBIBYTE),
      meaning: 'bytes of all files that one account has sent; 0 for no bound',
    },
    FILES_GRACE_HOURS: {
      default: 24,
      parse: parseInteger(1, 8_760),
      meaning:
        'hours for which a file is kept that was deleted, replaced, or is linked by no record: until then a deletion can be taken back',
    },
  },
  {
    settings: (values) => ({
      files: {
        maxSize: values.FILES_MAX_SIZE,
        quota: values.FILES_QUOTA,
        graceMs: values.FILES_GRACE_HOURS * 3_600_000,
      },
    }),
  },
);

declare module '../../platform/config/config.types.js' {
  interface Config {
    readonly files: {
      /** In bytes. */
      readonly maxSize: number;
      /** In bytes; 0 for none. */
      readonly quota: number;
      readonly graceMs: number;
    };
  }
}
