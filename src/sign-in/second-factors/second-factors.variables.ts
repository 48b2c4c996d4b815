import { defineVariables, parseInteger } from '../../platform/config/config.public.js';

/** Seven days. @internal */
export const LONGEST_RESET_DELAY_SECONDS = 604_800;

export const FACTOR_VARIABLES = defineVariables('Authentication', {
  AUTH_MFA_RESET_DELAY: {
    default: 0,
    parse: parseInteger(0, LONGEST_RESET_DELAY_SECONDS),
    meaning:
      'how long the removal of somebody’s second factors by an administrator waits, in seconds (up to 7 days); a mail tells the owner, who calls it off by using a factor',
  },
});
