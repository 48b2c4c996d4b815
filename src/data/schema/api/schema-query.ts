import { AppError } from '../../../kernel/errors/app-error.js';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ReadsInput } from '../../../platform/http/input/accepts.decorators.js';
import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../identity/auth/auth.public.js';
import { versionTags } from '../../../platform/http/http.public.js';
import type { ChangeAnswer, ChangeConditions } from '../schema-changes.service.js';

/** Parses and documents the named query parameters. Rejects all others. */
export function Parameters(...names: readonly SchemaParameter[]): ParameterDecorator {
  return withDescription(names, readParameters(names));
}

/** Parses the conditions of a schema change by the signed-in account, like {@link Parameters}. */
export function Conditions(...names: readonly SchemaParameter[]): ParameterDecorator {
  return withDescription(names, readConditions(names));
}

function withDescription(names: readonly SchemaParameter[], read: ParameterDecorator): ParameterDecorator {
  return (target, key, index) => {
    read(target, key, index);
    const method = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key === undefined || method === undefined) return;
    ReadsInput('query')(target, key, method);
    // Decorators are applied from last to first.
    for (const name of [...names].reverse()) {
      const { description, schema } = PARAMETERS[name];
      ApiQuery({ name, required: false, description, schema: schema as object })(target, key, method);
    }
  };
}

const readParameters = createParamDecorator(
  (allowed: readonly SchemaParameter[], context: ExecutionContext): SchemaQuery => {
    const { query } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    return parseSchemaQuery(query as RawQuery, allowed);
  },
);

const readConditions = createParamDecorator(
  (allowed: readonly SchemaParameter[], context: ExecutionContext): ChangeConditions => {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (request.user?.kind !== 'account') throw new AppError('token_missing');
    const { allowDataLoss, allowRebuild, backRefs, plan } = parseSchemaQuery(request.query as RawQuery, allowed);
    const expectedVersions = parseIfMatch(request.headers['if-match']);
    return {
      allowDataLoss,
      allowRebuild,
      backRefs,
      createdBy: request.user.userId,
      requestOrigin: originOf(request),
      ...(expectedVersions === undefined ? {} : { expectedVersions }),
      ...(plan === undefined ? {} : { expectedPlan: plan }),
    };
  },
);

type RawQuery = Readonly<Record<string, unknown>>;

export interface SchemaQuery {
  readonly allowDataLoss: boolean;
  readonly allowRebuild: boolean;
  readonly backRefs: 'report' | 'create';
  readonly plan: string | undefined;
  readonly remove: readonly string[];
  readonly format: 'json' | 'zip';
  readonly limit: number;
  readonly before: number | null;
}

interface ParameterRow {
  readonly name: keyof SchemaQuery;
  /** Completes the sentence "The parameter must be …". */
  readonly form: string;
  /** Returns undefined for text of another form. */
  readonly parse: (text: string) => unknown;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Largest `integer` of PostgreSQL. @internal */
const MAX_VERSION = 2_147_483_647;
const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
const SWITCH = {
  form: 'true or false',
  parse: (text: string) => SWITCHES.get(text),
  schema: { type: 'boolean' },
};

const PARAMETERS = {
  back_refs: {
    name: 'backRefs',
    form: '`report` or `create`',
    parse: oneOf('report', 'create'),
    description: '`create` adds missing back references.',
    schema: { enum: ['report', 'create'] },
  },
  allow_data_loss: { name: 'allowDataLoss', description: 'Allows steps that lose data.', ...SWITCH },
  allow_rebuild: {
    name: 'allowRebuild',
    description: 'Rebuilds tables that have reached the column limit of PostgreSQL.',
    ...SWITCH,
  },
  plan: {
    name: 'plan',
    form: 'the hash of a plan',
    parse: (text) => /^[0-9a-f]{64}$/.exec(text)?.[0],
    description: 'Hash of the expected plan. Another plan is rejected with `plan_changed`.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  remove: {
    name: 'remove',
    form: 'a list of schemas, separated by commas, each of them once',
    parse: distinctNames,
    description: 'Schemas to remove, separated by commas.',
    schema: { type: 'string' },
  },
  format: {
    name: 'format',
    form: 'json or zip',
    parse: oneOf('json', 'zip'),
    description: 'Format of the response. Default: `json`.',
    schema: { enum: ['json', 'zip'] },
  },
  limit: {
    name: 'limit',
    form: 'a whole number from 1 to 100',
    parse: upTo(100),
    description: 'Maximum number of versions.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  },
  before: {
    name: 'before',
    form: `a whole number from 1 to ${MAX_VERSION}`,
    parse: upTo(MAX_VERSION),
    description: 'Returns only versions below this one.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_VERSION },
  },
} as const satisfies Readonly<Record<string, ParameterRow>>;

type SchemaParameter = keyof typeof PARAMETERS;

const ABSENT: SchemaQuery = {
  allowDataLoss: false,
  allowRebuild: false,
  backRefs: 'report',
  plan: undefined,
  remove: [],
  format: 'json',
  limit: 50,
  before: null,
};

/** Parses the known parameters. Throws `query_invalid` for others. */
export function parseSchemaQuery(query: RawQuery, allowed: readonly SchemaParameter[]): SchemaQuery {
  const parsed: Record<string, unknown> = {};
  for (const [parameter, value] of Object.entries(query)) {
    const row = allowed.find((name) => name === parameter);
    if (row === undefined) {
      const field = parameter.slice(0, 100);
      const error = { field, code: 'unknown_parameter', message: 'is not a parameter of this route' };
      throw new AppError('query_invalid', { details: { errors: [error] } });
    }
    const { name, form, parse } = PARAMETERS[row];
    parsed[name] = typeof value === 'string' ? parse(value) : undefined;
    if (parsed[name] === undefined)
      throw new AppError('request_malformed', { message: `The parameter "${row}" must be ${form}.` });
  }
  return { ...ABSENT, ...parsed };
}

/** Parses `If-Match` (RFC 9110 §13.1.1) to accepted versions; undefined if any version is accepted. */
export function parseIfMatch(header: string | undefined): readonly number[] | undefined {
  if (header === undefined) return undefined;
  return versionTags(header)?.map((tag) => (/^\d{1,10}$/.test(tag) ? Number(tag) : -1));
}

export function entityTag(version: number): string {
  return `"${version}"`;
}

function oneOf(...values: readonly string[]): ParameterRow['parse'] {
  return (text) => values.find((value) => value === text);
}

function upTo(maximum: number): ParameterRow['parse'] {
  return (text) => {
    const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    return count >= 1 && count <= maximum ? count : undefined;
  };
}

function distinctNames(text: string): readonly string[] | undefined {
  const names = text.split(',').filter(Boolean);
  return new Set(names).size === names.length ? names : undefined;
}

/** Sends a change: 201 for a new schema, otherwise 200, with the version as entity tag. */
export function sendChange(reply: FastifyReply, { data, version, created }: ChangeAnswer): { readonly data: unknown } {
  void reply.status(created ? 201 : 200).header('etag', entityTag(version));
  return { data };
}
