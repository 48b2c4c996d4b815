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
  return described(names, readParameters(names));
}

/** Parses the conditions of a schema change by the signed-in account, like {@link Parameters}. */
export function Conditions(...names: readonly SchemaParameter[]): ParameterDecorator {
  return described(names, readConditions(names));
}

function described(names: readonly SchemaParameter[], read: ParameterDecorator): ParameterDecorator {
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
  (known: readonly SchemaParameter[], context: ExecutionContext): SchemaQuery => {
    const { query } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    return parseSchemaQuery(query as RawQuery, known);
  },
);

const readConditions = createParamDecorator(
  (known: readonly SchemaParameter[], context: ExecutionContext): ChangeConditions => {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (request.user?.kind !== 'account') throw new AppError('token_missing');
    const { allowDataLoss, allowRebuild, backRefs, plan } = parseSchemaQuery(request.query as RawQuery, known);
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

export type RawQuery = Readonly<Record<string, unknown>>;

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
  readonly parse: (text: string) => unknown;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const PARAMETERS = {
  back_refs: {
    name: 'backRefs',
    form: '`report` or `create`',
    parse: parseBackRefs,
    description: '`create` adds back references that are missing.',
    schema: { enum: ['report', 'create'] },
  },
  allow_data_loss: {
    name: 'allowDataLoss',
    form: 'true or false',
    parse: parseSwitch,
    description: 'Apply steps that lose data.',
    schema: { type: 'boolean' },
  },
  allow_rebuild: {
    name: 'allowRebuild',
    form: 'true or false',
    parse: parseSwitch,
    description: 'Rebuild tables that have no columns left to give.',
    schema: { type: 'boolean' },
  },
  plan: {
    name: 'plan',
    form: 'the hash of a plan',
    parse: parseHash,
    description: 'Apply this plan and no other.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  remove: {
    name: 'remove',
    form: 'a list of schemas, separated by commas, each of them once',
    parse: parseNames,
    description: 'Schemas to remove, by commas.',
    schema: { type: 'string' },
  },
  format: {
    name: 'format',
    form: 'json or zip',
    parse: parseFormat,
    description: 'JSON unless said otherwise.',
    schema: { enum: ['json', 'zip'] },
  },
  limit: {
    name: 'limit',
    form: 'a whole number from 1 to 100',
    parse: (text) => parseCount(text, 100),
    description: 'How many.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  },
  before: {
    name: 'before',
    form: 'a whole number from 1 to 2147483647',
    parse: (text) => parseCount(text, 2_147_483_647),
    description: 'Only those below this version.',
    schema: { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
  },
} as const satisfies Readonly<Record<string, ParameterRow>>;

export type SchemaParameter = keyof typeof PARAMETERS;

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
export function parseSchemaQuery(query: RawQuery, known: readonly SchemaParameter[]): SchemaQuery {
  const parsed: Record<string, unknown> = {};
  for (const [parameter, value] of Object.entries(query)) {
    const row = known.find((name) => name === parameter);
    if (row === undefined) throw unknownParameter(parameter);
    const result = typeof value === 'string' ? PARAMETERS[row].parse(value) : undefined;
    if (result === undefined) throw malformed(`The parameter "${row}" must be ${PARAMETERS[row].form}.`);
    parsed[PARAMETERS[row].name] = result;
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

function parseSwitch(text: string): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

function parseNames(text: string): readonly string[] | undefined {
  const names = text.split(',').filter(Boolean);
  return new Set(names).size === names.length ? names : undefined;
}

function parseBackRefs(text: string): 'report' | 'create' | undefined {
  return text === 'create' || text === 'report' ? text : undefined;
}

function parseFormat(text: string): 'json' | 'zip' | undefined {
  return text === 'json' || text === 'zip' ? text : undefined;
}

function parseHash(text: string): string | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
}

function parseCount(text: string, most: number): number | undefined {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= most ? count : undefined;
}

function unknownParameter(name: string): AppError {
  const error = { field: name.slice(0, 100), code: 'unknown_parameter', message: 'is not a parameter of this route' };
  return new AppError('query_invalid', { details: { errors: [error] } });
}

function malformed(message: string): AppError {
  return new AppError('request_malformed', { message });
}

/** Sends a change: 201 for a new schema, otherwise 200, with the version as entity tag. */
export function sendChange(reply: FastifyReply, { data, version, created }: ChangeAnswer): { readonly data: unknown } {
  void reply.status(created ? 201 : 200).header('etag', entityTag(version));
  return { data };
}
