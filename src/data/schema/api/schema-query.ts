import { AppError } from '../../../kernel/app-error.js';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import type { ChangeAnswer, ChangeConditions } from '../schema-changes.service.js';

/** The parameters of the request; every other one is refused. */
export const Parameters = createParamDecorator(
  (known: readonly SchemaParameter[] | undefined, context: ExecutionContext): SchemaQuery => {
    const { query } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    return parseSchemaQuery(query as RawQuery, known ?? []);
  },
);

/** On which conditions the signed-in account asks for a change; every parameter that is not named is refused. */
export const Conditions = createParamDecorator(
  (known: readonly SchemaParameter[] | undefined, context: ExecutionContext): ChangeConditions => {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (request.user?.kind !== 'account') throw new AppError('token_missing');
    const { allowDataLoss, allowRebuild, backRefs, plan } = parseSchemaQuery(request.query as RawQuery, known ?? []);
    const expectedVersions = parseIfMatch(request.headers['if-match']);
    return {
      allowDataLoss,
      allowRebuild,
      backRefs,
      createdBy: request.user.userId,
      ...(expectedVersions === undefined ? {} : { expectedVersions }),
      ...(plan === undefined ? {} : { expectedPlan: plan }),
    };
  },
);

/** The query of a request, as the framework parses it. */
export type RawQuery = Readonly<Record<string, unknown>>;

/** The parameters of the schema routes, parsed. */
export interface SchemaQuery {
  readonly allowDataLoss: boolean;
  readonly allowRebuild: boolean;
  readonly backRefs: 'report' | 'create';
  /** Hash of the plan that was seen. */
  readonly plan: string | undefined;
  /** Schemas that a plan removes. */
  readonly remove: readonly string[];
  readonly format: 'json' | 'zip';
  readonly limit: number;
  readonly before: number | null;
}

const PARSERS = {
  allow_data_loss: { name: 'allowDataLoss', parse: parseSwitch },
  allow_rebuild: { name: 'allowRebuild', parse: parseSwitch },
  back_refs: { name: 'backRefs', parse: parseBackRefs },
  plan: { name: 'plan', parse: parseHash },
  remove: { name: 'remove', parse: (text: string) => text.split(',').filter(Boolean) },
  format: { name: 'format', parse: parseFormat },
  limit: { name: 'limit', parse: (text: string) => parseCount(text, 100) },
  before: { name: 'before', parse: (text: string) => parseCount(text, 2_147_483_647) },
} as const;

/** A parameter of the schema routes. */
export type SchemaParameter = keyof typeof PARSERS;

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

/** Reads the parameters that a route knows; anything else is refused with `request_malformed`. */
export function parseSchemaQuery(query: RawQuery, known: readonly SchemaParameter[]): SchemaQuery {
  const parsed: Record<string, unknown> = {};
  for (const [parameter, value] of Object.entries(query)) {
    const row = known.find((name) => name === parameter);
    if (row === undefined) throw malformed(`The parameter "${parameter.slice(0, 100)}" is not known here.`);
    const result = typeof value === 'string' ? PARSERS[row].parse(value) : undefined;
    if (result === undefined) throw malformed(`The parameter "${row}" has a value that it cannot have.`);
    parsed[PARSERS[row].name] = result;
  }
  return { ...ABSENT, ...parsed };
}

/** Reads `If-Match` (RFC 9110 §13.1.1): the versions that are accepted, or `undefined` where any is. */
export function parseIfMatch(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').map((tag) => Number(/^\s*"(\d{1,10})"\s*$/.exec(tag)?.[1] ?? -1));
}

/** The entity tag of a version. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

function parseSwitch(text: string): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
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

function malformed(message: string): AppError {
  return new AppError('request_malformed', { message });
}

/** Sends a change: 201 for a new schema, 200 otherwise, with the version as its entity tag. */
export function sendChange(reply: FastifyReply, { data, version, created }: ChangeAnswer): { readonly data: unknown } {
  void reply.status(created ? 201 : 200).header('etag', entityTag(version));
  return { data };
}
