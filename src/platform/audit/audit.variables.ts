import { defineVariables, parseInteger } from '../config/config.public.js';

export const AUDIT_VARIABLES = defineVariables(
  'Operation',
  {
    AUDIT_KEEP_DAYS: {
      default: 90,
      parse: parseInteger(0, 3_650),
      meaning: 'days for which audit events are kept; 0 disables the audit log',
    },
  },
  { settings: ({ AUDIT_KEEP_DAYS: keepDays }) => ({ audit: { keepDays } }) },
);

declare module '../config/config.types.js' {
  interface Config {
    readonly audit: {
      /** 0 if the audit log is off. */
      readonly keepDays: number;
    };
  }
}
