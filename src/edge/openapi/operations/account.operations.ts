import { inData, listOf, objectOf, schemaRef } from '../document/references.js';
import type { OperationTable } from './operation-row.types.js';

const tag = 'Account';
const message = schemaRef('Message');

/** Who one is, and where one is signed in. */
export const ACCOUNT_OPERATIONS: OperationTable = {
  'GET /api/auth/methods': { tag, summary: 'Which ways to sign in are offered', answer: schemaRef('LoginMethods') },
  'GET /api/auth/me': { tag, summary: 'The signed-in account', answer: schemaRef('CurrentUser') },
  'GET /api/auth/permissions': {
    tag,
    summary: 'What you may do',
    description: 'Roles, open resources, and for each schema the open actions with their fields.',
    answer: inData(schemaRef('Permissions')),
  },
  'POST /api/auth/logout': { tag, summary: 'Sign out: the session is over at once', answer: message },
  'POST /api/auth/token/refresh': {
    tag,
    summary: 'A new token set for a refresh token',
    answer: schemaRef('TokenSet'),
    errors: ['refresh_token_invalid', 'refresh_token_expired', 'refresh_token_reused'],
  },
  'POST /api/auth/exchange': {
    tag,
    summary: 'A token set for the one-time code of a completed sign-in',
    description: 'The code is good for 60 seconds, once. In the native-app flow `code_verifier` goes with it.',
    answer: schemaRef('TokenSet'),
    errors: ['code_invalid'],
  },
  'GET /api/auth/sessions': { tag, summary: 'Where you are signed in', answer: inData(listOf(schemaRef('Session'))) },
  'DELETE /api/auth/sessions': { tag, summary: 'End all sessions but this one', answer: message },
  'DELETE /api/auth/sessions/:id': { tag, summary: 'End a session', answer: message, errors: ['session_not_found'] },
  'GET /api/auth/identities': {
    tag,
    summary: 'The providers that you have linked',
    answer: inData(listOf(schemaRef('Identity'))),
  },
  'POST /api/auth/identities': {
    tag,
    summary: 'Begin to link a provider',
    description:
      'Answers the address at which this browser goes on; good for five minutes, once. Needs `current_password`, or a sign-in of the last ten minutes if the account has none.',
    answer: objectOf({ location: { type: 'string' } }),
    errors: ['provider_not_found', 'invalid_credentials', 'step_up_required', 'rate_limited'],
  },
  'DELETE /api/auth/identities/:id': {
    tag,
    summary: 'Unlink a provider',
    answer: message,
    errors: ['identity_not_found', 'last_way_in'],
  },
};
