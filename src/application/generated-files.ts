import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { applicationVariables, AppModule, parseAppConfig } from '../app.module.js';
import { staticRoutesDocument } from '../edge/openapi/openapi.public.js';
import { configurationPage, documentedDefault, envExample } from '../platform/config/documentation.js';
// Imported for their limits: no module of AppModule imports these files.
import '../platform/http/server/configure-http.js';
import '../platform/http/server/fastify-options.js';
import { rateLimits } from '../platform/http/rate-limit/rate-limit.policies.js';
import { schemaFaultsSection } from '../data/schema/codes/schema-fault.js';
import { type ErrorCode, errorCodes, errorRow, FALLBACKS } from '../kernel/errors/error-catalogue.js';
import { limits } from '../kernel/limits.js';
import type { Variables } from '../platform/config/variables.js';
import {
  COMMON_VARIABLES,
  LAYOUT_VARIABLES,
  MAIL_TEMPLATES,
  TEMPLATE_NAMES,
  type TemplateRow,
  withValidity,
} from '../platform/mail/rendering/mail-template.table.js';

/** Returns all files that are generated from tables in the code, by path. A test checks that they are current. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'docs/reference/variables.md': configurationPage(applicationVariables()),
    'docs/reference/errors.md': `${errorsPage()}\n${schemaFaultsSection()}`,
    'docs/reference/limits.md': limitsPage(applicationVariables(), rateLimits()),
    'docs/reference/mail-templates.md': mailPage(),
    '.env.example': envExample(applicationVariables()),
  };
}

/** Returns the OpenAPI document of all routes except content. `npm run generate` creates the types of the console from it. */
export async function openApiDocument(): Promise<string> {
  const config = parseAppConfig({ APP_KEY: 'a placeholder key that signs nothing', APP_URL: 'http://localhost' });
  const connection = { address: { url: '' }, embedded: false, release: () => Promise.resolve() };
  const module = AppModule.forRoot(config, connection);
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return staticRoutesDocument(app, config);
}

const CLIENT_RULES = `## Handling errors in a client

| Error | Client |
|---|---|
| 401 \`token_expired\`, \`token_invalid\` | refresh the token, then repeat the request once |
| 401 \`refresh_token_expired\`, \`refresh_token_invalid\`, \`refresh_token_reused\` | the session has ended: sign in again. The same applies without a refresh token |
| 401 \`token_missing\` | the route needs a sign-in: offer it |
| 401 \`step_up_required\` | ask for [the factor or the password](../guides/sign-in/second-factors.md#requiring-a-recent-proof), then repeat the request |
| 401 \`mfa_required\`, \`mfa_enrollment_required\` | continue the sign-in with [\`mfa_token\`](../guides/sign-in/second-factors.md#signing-in-with-a-second-factor) |
| another 401, such as \`invalid_credentials\` | show the error; a refresh does not help |
| 403 | do not repeat the request |
| 429 \`rate_limited\`, most errors with 503 | wait for \`Retry-After\` seconds, then repeat the request |
`;

const FIELD_ERRORS = `## Errors of fields

These errors have \`data.errors\`, a list of \`{field, code, message}\`. In lists and related records, \`field\` is a path. Check
\`data.errors\`, not the status, which can be 400 or 422.

| \`data.error\` | Status | Invalid input |
|---|---|---|
| \`field_invalid\` | 400 | values of a record, operations of a batch |
| \`query_invalid\` | 400 | query parameters |
| \`validation_failed\` | 422 | fields of other bodies, and headers of uploads |
| \`import_invalid\` | 400 | rows of an import; each entry also has \`row\` |
| \`unique_violation\`, \`reference_not_found\`, \`links_truncated\` | 409, 400, 409 | a value that is already used, a missing record, too many links; the field is listed only if the caller can see it |

\`\`\`json
{
  "code": "400",
  "message": "Some values are not valid for their fields.",
  "data": { "error": "field_invalid", "errors": [{ "field": "tags[1].name", "code": "required", "message": "is required" }] }
}
\`\`\`

| Code of a field | Cause |
|---|---|
| \`required\` | the value is missing |
| \`type_invalid\` | the wrong JSON type, such as a number instead of text |
| \`characters_invalid\` | characters that are not allowed |
| \`malformed\` | a parameter is not well-formed, or cannot be combined with another one |
| \`value_invalid\`, \`invalid\` | a value that the field or parameter does not accept |
| \`too_long\`, \`too_many\`, \`too_deep\`, \`out_of_range\` | the request exceeds a [limit](limits.md); the message has the limit |
| \`unknown_field\`, \`unknown_member\`, \`unknown_parameter\`, \`unknown_operator\` | the name does not exist, or you cannot use it |
| \`operator_unfit\` | the field does not support this operator or aggregate |
| \`read_only\`, \`immutable\` | the server sets the field, or it cannot be changed |
| \`reference_invalid\`, \`list_invalid\`, \`body_invalid\` | a link, a list of links or a record has the wrong format |
| \`reference_not_found\` | the linked record does not exist, or you cannot link it |
| \`value_reserved\` | a text key that is the name of a route, such as \`aggregate\` |
| \`unique_violation\`, \`links_truncated\` | see the [error](#error-codes) with this code |
| \`file_not_allowed\` | the file has a type or size that the field does not accept |
| \`digest_invalid\` | a checksum of an upload has the wrong format |
| \`repeated_name\`, \`repeated_parameter\`, \`repeated_field\` | a name occurs more than once |
| \`order_invalid\` | a form field is sent after the file |
| \`unknown_column\`, \`repeated_column\` | the import names a column that the CSV file does not have, or two columns have one name |
| \`columns_mismatch\` | the row has another number of cells than the header of the CSV file |
| \`encoding_invalid\` | the cell has bytes that are not valid in the encoding of the file |
| \`email_invalid\`, \`username_invalid\`, \`language_invalid\` | the value has the wrong format |
| \`password_too_short\`, \`password_too_long\`, \`password_too_common\` | [password rules](../guides/sign-in/passwords.md#password-rules) |
| \`role_unknown\` | the role does not exist |
| \`code_challenge_invalid\` | the PKCE challenge is not a SHA-256 in base64url |

A row of an import can also have an error code of the next table. Applications can add codes.
`;

const OTHER_MEMBERS = `## Other members of \`data\`

| \`data.error\` | Members |
|---|---|
| \`mfa_required\`; \`mfa_enrollment_required\` at a sign-in | \`mfa_token\`, \`expires_in\` (seconds), \`methods\`: factors that the account has, or that it can add |
| \`step_up_required\` of a protected route | \`acr_values\` (\`level1\` or \`level2\`), \`max_age\` (seconds) |
| \`quota_exceeded\` | \`quota\` in bytes; \`field\` if the field has the quota |
| \`file_too_large\`, \`file_type_not_allowed\` | \`max_size\` in bytes; \`types\` of the field |
| \`upload_incomplete\` | \`missing\`: numbers of the missing parts of a direct upload |
| \`import_invalid\` | \`total\` errors in \`rows\` rows; \`errors\` lists the first ones |
| \`schema_not_found\` | \`suggestion\`: a similar name |
| \`schema_version_mismatch\`, \`schema_changed\`, \`plan_changed\` | \`version\`; \`schemas\` and \`version\`; \`plan\` |
| \`migration_blocked\`, \`migration_destructive\`, \`undo_impossible\` | \`steps\` ([schema changes](../guides/data/schema-changes.md)) |
| any error of a [batch](../guides/data/writing-records.md#batches) | \`operation\`: index of the failed operation |
| \`internal_error\` | \`request_id\`, which is also in the log |
`;

/** Second HTTP status of a code, and when it is used. */
const OTHER_STATUSES: Partial<Readonly<Record<ErrorCode, string>>> = {
  mfa_enrollment_required: ', 401 at a sign-in',
  token_expired: ', 400 for a token from a mail',
  token_invalid: ', 400 for a token from a mail',
};

function errorsPage(): string {
  const rows = (codes: readonly ErrorCode[]): readonly string[] =>
    codes.map((code) => {
      const { status, message } = errorRow(code);
      return `| \`${code}\` | ${status}${OTHER_STATUSES[code] ?? ''} | ${message} |`;
    });
  const isFallback = (code: ErrorCode): boolean => Object.hasOwn(FALLBACKS, code);
  const head = ['| `data.error` | Status | Message |', '|---|---|---|'];
  return [
    '# Errors',
    '',
    '<!-- Generated by `npm run generate` from the tables `*.errors.ts` of the features. -->',
    '',
    'Every error response of Lintel is `{"code": "401", "message": "…", "data": {"error": "…"}}`. `code` is the HTTP status as text. `data.error`',
    'is one of the codes below. Codes are stable. Messages are English and can change, so show your own text for each code. A proxy can return',
    'another format: check `Content-Type` before you parse. [Sign-in errors](sign-in-errors.md) lists the causes for each sign-in endpoint.',
    '',
    CLIENT_RULES,
    FIELD_ERRORS,
    '## Error codes',
    '',
    ...head,
    ...rows(errorCodes().filter((code) => !isFallback(code))),
    '',
    '### Fallbacks',
    '',
    'Codes for an `HttpException` of an application that contains no code, by HTTP status. Lintel itself returns `service_unavailable`, and',
    '`precondition_failed` if the `If-Match` of a file does not match.',
    '',
    ...head,
    ...rows(errorCodes().filter(isFallback)),
    '',
    OTHER_MEMBERS,
  ].join('\n');
}

type DescribedRateLimits = readonly (readonly [
  name: string,
  policy: { readonly points: number; readonly durationSeconds: number; readonly meaning: string },
])[];

interface Row {
  readonly area: string;
  readonly subject: string;
  readonly value: string;
  readonly setting: string;
  readonly error: string | null;
}

const UNITS = [
  { name: 'TiB', bytes: 2 ** 40 },
  { name: 'GiB', bytes: 2 ** 30 },
  { name: 'MiB', bytes: 2 ** 20 },
];
const LIMITS_HEAD = [
  '# Request limits',
  '',
  '<!-- Generated by `npm run generate` from the calls of `defineLimit`, `defineRateLimits` and `defineVariables`. -->',
  '',
  'All limits of requests, with their defaults. A setting is a [variable](variables.md); a limit without a setting is fixed. The error is',
  'the value of `data.error` ([Errors](errors.md)). If the error has `data.errors`, an entry names the field or parameter, with a code such as',
  '`too_many`, `too_deep`, `too_long` or `out_of_range`. Without an error, the response or the stored value is shortened.',
  '',
];

function limitsPage(declarations: readonly Variables[], rateLimits: DescribedRateLimits): string {
  const rows = [...configurableLimits(declarations), ...fixedLimits()];
  const areas = [...new Set(rows.map(({ area }) => area))].sort();
  const sections = areas.map((area) => section(area, rows));
  return [...LIMITS_HEAD, ...sections, ...rateLimitSection(rateLimits)].join('\n');
}

function configurableLimits(declarations: readonly Variables[]): readonly Row[] {
  return declarations.flatMap(({ group, variables }) =>
    Object.entries(variables).flatMap(([name, variable]) => {
      if (variable.error === undefined) return [];
      const value = formatLimit(Number(documentedDefault(variable)), variable.meaning);
      const area = variable.group ?? group;
      const subject = variable.meaning.replace(/; 1 to [\d,]+$/, '');
      return [{ area, subject, value, setting: `\`${name}\``, error: variable.error }];
    }),
  );
}

function fixedLimits(): readonly Row[] {
  return limits().map((limit) => ({ ...limit, value: formatLimit(limit.value, limit.subject), setting: '' }));
}

function section(area: string, rows: readonly Row[]): string {
  const lines = rows
    .filter((row) => row.area === area)
    .map(({ subject, value, setting, error }) => {
      const answer = error === null ? '' : `${errorRow(error as ErrorCode).status} \`${error}\``;
      return `| ${subject} | ${value} | ${setting} | ${answer} |`;
    });
  return [`## ${area}`, '', '| Limit | At most | Setting | Error |', '|---|---|---|---|', ...lines, ''].join('\n');
}

function formatLimit(value: number, subject: string): string {
  const text = value.toLocaleString('en');
  const unit = /\bbytes\b/.test(subject) ? UNITS.find(({ bytes }) => value >= bytes && value % bytes === 0) : undefined;
  return unit === undefined ? text : `${text} (${(value / unit.bytes).toLocaleString('en')} ${unit.name})`;
}

function rateLimitSection(rateLimits: DescribedRateLimits): readonly string[] {
  const lines = [...rateLimits]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([name, { points, durationSeconds, meaning }]) =>
        `| \`${name}\` | ${meaning} | ${points} in ${durationSeconds.toLocaleString('en')} seconds |`,
    );
  return [
    '## Rate limits',
    '',
    'The error is 429 `rate_limited` with `Retry-After`. All instances count together. `RATE_LIMIT_ENABLED=false` disables rate limits, for',
    'tests and benchmarks. The metric `lintel_rate_limited_total` counts refused attempts by limit.',
    '',
    '| Name | Counts | At most |',
    '|---|---|---|',
    ...lines,
    '',
  ];
}

const MAIL_HEAD = `# Mail templates

<!-- Generated by \`npm run generate\` from src/platform/mail/rendering/mail-template.table.ts and src/application/generated-files.ts. -->

All mails and their template variables. To replace a text, see [Mail](../guides/operating/mail.md#templates).

Every template has these variables:
`;

const table = (variables: TemplateRow['variables']): string =>
  [
    '| Variable | Meaning | Example |',
    '|---|---|---|',
    ...Object.entries(variables).map(
      ([name, { meaning, sample, optional, secret }]) =>
        `| \`${name}\`${optional ? ' (may be missing)' : ''} | ${meaning}${secret ? '; never in a subject' : ''} | \`${sample}\` |`,
    ),
    '',
  ].join('\n');

function mailPage(): string {
  const templates = TEMPLATE_NAMES.flatMap((name) => {
    const { purpose, variables } = MAIL_TEMPLATES[name];
    const rows = Object.keys(variables).length === 0 ? 'Only the common variables.\n' : table(withValidity(variables));
    return [`### \`${name}\``, `Sent ${purpose}.`, rows];
  });
  const layout = ['### `layout`', 'Layout of every mail; it has no subject.', table(LAYOUT_VARIABLES)];
  return [MAIL_HEAD, table(COMMON_VARIABLES), ...templates, ...layout]
    .join('\n')
    .replace(/\n+(?=### )/g, '\n\n')
    .replace(/(\.)\n(\|)/g, '$1\n\n$2');
}
