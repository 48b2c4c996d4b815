import { defineVariables, parseInteger } from '../../platform/config/config.public.js';

export const SCHEMA_VARIABLES = defineVariables(
  'Service',
  {
    SCHEMA_KEEP_DROPPED_DAYS: {
      default: 30,
      parse: parseInteger(0, 36_500),
      meaning: 'days for which a dropped column or table is kept before it is purged',
    },
  },
  { settings: (values) => ({ schemaKeepDroppedDays: values.SCHEMA_KEEP_DROPPED_DAYS }) },
);

declare module '../../platform/config/config.types.js' {
  interface Config {
    /** Days that a dropped column or table is archived before it is purged. */
    readonly schemaKeepDroppedDays: number;
  }
}
