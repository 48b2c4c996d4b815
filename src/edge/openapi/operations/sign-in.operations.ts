import { inData, listOf, objectOf, schemaRef } from '../document/references.js';
import type { DocumentedError, OperationTable } from './operation-row.types.js';

const PASSWORD = 'Password';
const CODE = 'Mailed code';
const PROVIDER = 'Provider';
const NATIVE = 'Native app';
const message = schemaRef('Message');
const mailed = schemaRef('MailRequested');
const tokens = schemaRef('TokenSet');

/** A token that came by mail is a bad request, not a failed authentication (CONTRACT §3). */
const MAILED_TOKEN: readonly DocumentedError[] = [
  { code: 'token_invalid', status: 400 },
  { code: 'token_expired', status: 400 },
];
const POLICY: readonly DocumentedError[] = ['email_taken', 'email_domain_not_allowed', 'email_domain_blocked'];
const REGISTRATION: readonly DocumentedError[] = [
  ...POLICY,
  'password_mismatch',
  'username_taken',
  'username_reserved',
  'registration_rejected',
];
const FEDERATED: readonly DocumentedError[] = [
  'provider_not_found',
  'provider_denied',
  'provider_failed',
  'provider_unavailable',
  'state_invalid',
  'email_not_verified',
  'email_taken_by_other_method',
  'account_inactive',
  'identity_taken',
  ...POLICY,
  'username_taken',
  'username_reserved',
  'registration_rejected',
];
const BY_LINK_OR_CODE = 'With the `token` of the link or, where codes are typed, with `session_id` and `code`.';

/** The ways in. */
export const SIGN_IN_OPERATIONS: OperationTable = {
  'POST /api/auth/local/login': {
    tag: PASSWORD,
    summary: 'Sign in with login and password',
    description: '`login` is a username or an e-mail address.',
    answer: tokens,
    errors: ['invalid_credentials', 'account_inactive'],
  },
  'POST /api/auth/local/register': {
    tag: PASSWORD,
    summary: 'Make an account',
    description: '`activation` says how the account becomes active.',
    answer: inData({
      type: 'object',
      required: ['activation'],
      properties: {
        activation: { enum: ['auto', 'manual', 'email'] },
        session_id: { type: 'string' },
        expires_in: { type: 'integer' },
      },
    }),
    errors: REGISTRATION,
  },
  'POST /api/auth/local/activate': {
    tag: PASSWORD,
    summary: 'Activate an account',
    description: BY_LINK_OR_CODE,
    answer: message,
    errors: MAILED_TOKEN,
  },
  'POST /api/auth/local/activate/send': { tag: PASSWORD, summary: 'Mail the activation again', answer: mailed },
  'POST /api/auth/local/recover': { tag: PASSWORD, summary: 'Mail a link for a new password', answer: mailed },
  'POST /api/auth/local/recover/check': {
    tag: PASSWORD,
    summary: 'Whether a recovery token is good',
    description: `${BY_LINK_OR_CODE} Spends nothing.`,
    answer: objectOf({ valid: { type: 'boolean' } }),
  },
  'POST /api/auth/local/recover/identities': {
    tag: PASSWORD,
    summary: 'Which providers open the account beside its password',
    description: 'With what `recover/reset` takes. Spends nothing.',
    answer: inData(listOf(schemaRef('LinkedIdentity'))),
    errors: MAILED_TOKEN,
  },
  'POST /api/auth/local/recover/reset': {
    tag: PASSWORD,
    summary: 'Choose a new password',
    description:
      'With the `token` of the link, or with the `session_id` whose code has been checked. Ends every session and, with `end_identities`, the links to providers.',
    answer: inData({ const: true }),
    errors: [...MAILED_TOKEN, 'password_mismatch'],
  },
  'POST /api/auth/local/email/change': {
    tag: PASSWORD,
    summary: 'Ask for another e-mail address',
    answer: message,
    errors: [...POLICY, 'invalid_credentials', 'not_a_local_account', 'email_unchanged', 'rate_limited'],
  },
  'POST /api/auth/local/email/confirm': {
    tag: PASSWORD,
    summary: 'Confirm the new address',
    answer: message,
    errors: [...MAILED_TOKEN, 'email_taken'],
  },
  'POST /api/auth/local/email/cancel': {
    tag: PASSWORD,
    summary: 'Cancel a change of address, and end all sessions',
    answer: message,
    errors: MAILED_TOKEN,
  },
  'POST /api/auth/otp/request': {
    tag: CODE,
    summary: 'Mail a code to sign in with',
    answer: objectOf({ message: { type: 'string' }, expires_in: { type: 'integer' } }),
  },
  'POST /api/auth/otp/verify': {
    tag: CODE,
    summary: 'Sign in with a mailed code',
    answer: tokens,
    errors: ['otp_invalid'],
  },
  'GET /api/auth/:provider/login': {
    tag: PROVIDER,
    summary: 'Go to a provider to sign in',
    description: 'For browsers: redirects to the provider.',
    statuses: [302],
    parameters: [
      { name: 'cli', in: 'query', description: 'The carrier of a native-app login.', schema: { type: 'string' } },
      { name: 'link', in: 'query', description: 'The token of a link that was begun.', schema: { type: 'string' } },
      {
        name: 'code_challenge',
        in: 'query',
        description: 'PKCE challenge (S256) of the page that begins; the code then needs its `code_verifier`.',
        schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
      },
    ],
    errors: ['provider_not_found', 'provider_unavailable', 'provider_failed', 'carrier_invalid', ...MAILED_TOKEN],
  },
  'GET /api/auth/:provider/callback': {
    tag: PROVIDER,
    summary: 'Where the provider sends the browser back',
    description: 'Redirects to `/dash/login#code=…`, or to the native app. Browsers are sent on with refusals too.',
    statuses: [302],
    errors: FEDERATED,
  },
  'POST /api/auth/:provider/callback': {
    tag: PROVIDER,
    summary: 'The same for providers that post a form',
    statuses: [302, 303],
    errors: FEDERATED,
  },
  'POST /api/auth/cli/initiate': {
    tag: NATIVE,
    summary: 'Begin a native-app login',
    description: 'The app opens `authorize_url` in the browser of the person (RFC 8252, PKCE S256).',
    answer: objectOf({ carrier: { type: 'string' }, authorize_url: { type: 'string' } }),
    errors: ['cli_login_disabled', 'redirect_uri_not_allowed'],
  },
  'POST /api/auth/cli/login/local': {
    tag: NATIVE,
    summary: 'Sign in to an app with a password',
    description: 'Redirects to the `redirect_uri` of the app with `code` and `state`.',
    errors: ['cli_login_disabled', 'cross_site_request', 'carrier_invalid', 'invalid_credentials', 'account_inactive'],
  },
  'POST /api/auth/cli/login/otp': {
    tag: NATIVE,
    summary: 'Sign in to an app with a mailed code',
    description: 'Redirects to the `redirect_uri` of the app with `code` and `state`.',
    errors: ['cli_login_disabled', 'cross_site_request', 'carrier_invalid', 'otp_invalid'],
  },
};
