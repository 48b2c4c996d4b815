import { defineVariables, parseInteger } from '../../platform/config/config.public.js';

/** Seven days. @internal */
export const MAX_RESET_DELAY_SECONDS = 604_800;

export const FACTOR_VARIABLES = defineVariables('Authentication', {
  AUTH_MFA_RESET_DELAY: {
    default: 0,
    parse: parseInteger(0, MAX_RESET_DELAY_SECONDS),
    meaning:
      'delay before an administrator removes the second factors of a user, in seconds (at most 7 days); the user is notified by mail and cancels the removal by using a factor',
  },
});
