import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { AppError } from '../../../kernel/app-error.js';
import type { ChangeAnswer, ChangeConditions } from '../schema-changes.service.js';
import {
  entityTag,
  parseIfMatch,
  parseSchemaQuery,
  type RawQuery,
  type SchemaParameter,
  type SchemaQuery,
} from './schema-query.js';

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

/** Sends a change: 201 for a new schema, 200 otherwise, with the version as its entity tag. */
export function sendChange(reply: FastifyReply, { data, version, created }: ChangeAnswer): { readonly data: unknown } {
  void reply.status(created ? 201 : 200).header('etag', entityTag(version));
  return { data };
}
