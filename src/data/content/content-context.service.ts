import type { WriteContext } from './resolve/writes/record-write.js';
import { Inject, Injectable } from '@nestjs/common';
import { RoleDirectory } from '../../identity/auth/auth.public.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { readDriverFault } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import type { ExpressionAuth } from '../expressions/expression.types.js';
import type { LinkedSchema } from '../model/schema-model.types.js';
import { SchemaSnapshots } from '../schema/schema-snapshots.service.js';
import { findSchema } from '../schema/schema.public.js';
import type { SchemaSnapshot } from '../schema/snapshot/schema-snapshot.types.js';
import { type ContentLimits, contentLimits, type QueryFaults } from './request/query-faults.js';
import { accessLookup } from './resolve/content-access.js';
import { type ContentAction, allOf, type Condition } from './resolve/conditions.js';
import type { FilterNode } from './request/list-query.types.js';
import { FilterResolver } from './resolve/resolve-query.js';
import { FieldResolver } from './resolve/field-resolver.js';
import type { RuleInputs } from './resolve/rules/rule-terms.js';

/** Context of one request. It stays the same until the request ends, even if schemas or roles change. */
export interface ContentContext extends WriteContext {
  readonly principal: Principal;
  readonly origin?: RequestOrigin | undefined;
}

export type RequestContext = Omit<ContentContext, 'access' | 'fields'>;

export interface SchemaContext extends ContentContext {
  readonly schema: LinkedSchema;
}

/** SQLSTATEs of a statement that was compiled for an older form of a table (PostgreSQL Appendix A). */
const STALE = new Set(['42703', '42P01', '0A000', '42804', '42883']);

/** Maximum number of attempts while the schemas change during a request. @internal */
const MAX_ATTEMPTS = 4;

@Injectable()
export class ContentContexts {
  readonly limits: ContentLimits;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly snapshots: SchemaSnapshots,
    private readonly roles: RoleDirectory,
    private readonly clock: Clock,
  ) {
    this.limits = contentLimits(config);
  }

  get snapshot(): SchemaSnapshot {
    return this.snapshots.current;
  }

  async requestContext(principal: Principal): Promise<RequestContext> {
    const found = this.roles.permissionsOf(principal);
    const permissions = found instanceof Promise ? await found : found;
    const { id, email } =
      principal.kind === 'account' ? { id: principal.userId, email: principal.email } : { id: '', email: '' };
    const { roles, level, amr } = permissions;
    const auth: ExpressionAuth = { id, email, username: '', roles, level, amr };
    const { limits } = this;
    return { principal, snapshot: this.snapshots.current, auth, now: this.clock.now(), permissions, limits };
  }

  async open(principal: Principal): Promise<ContentContext> {
    const requestContext = await this.requestContext(principal);
    return contextOf(requestContext, requestContext);
  }

  /**
   * Runs work, and retries it if a table does not match the snapshot and a newer snapshot exists. A request must not fail because of a
   * concurrent schema change.
   *
   * @throws AppError `server_busy` if schema changes follow each other for too long.
   */
  async retryOnSchemaChange<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const { version } = this.snapshots.current;
      try {
        return await work();
      } catch (error) {
        if (!STALE.has(readDriverFault(error)?.code ?? '')) throw error;
        if ((await this.snapshots.latest()).version === version) throw error;
        if (attempt === MAX_ATTEMPTS) throw new AppError('server_busy', { cause: error, retryAfterSeconds: 1 });
      }
    }
  }

  /**
   * Opens a request on a schema, by its name or namespace.
   *
   * @throws AppError `token_missing` or `permission_denied` if no permission allows the action, whether or not the schema exists;
   * `schema_not_found` for root only.
   */
  async openSchema(principal: Principal, name: string, action: ContentAction): Promise<SchemaContext> {
    const context = await this.open(principal);
    return { ...context, schema: schemaFor(context, name, action) };
  }
}

export function contextOf(requestContext: RequestContext, inputs: RuleInputs): ContentContext {
  const { snapshot, permissions } = requestContext;
  const access = accessLookup({ snapshot, permissions, auth: inputs.auth, now: inputs.now });
  return { ...requestContext, access, fields: new FieldResolver(snapshot, access, inputs.auth.id) };
}

export function schemaFor(context: ContentContext, name: string, action: ContentAction): LinkedSchema {
  const { snapshot, principal, permissions, access } = context;
  const schema = findSchema(snapshot, name);
  if (schema === undefined && permissions.root) throw new AppError('schema_not_found');
  if (schema === undefined || access(schema, action).grants.length === 0)
    throw new AppError(principal.kind === 'guest' ? 'token_missing' : 'permission_denied');
  return schema;
}

/**
 * Returns the condition for records that match the filter, may be listed and allow the action.
 *
 * @param faults errors of the filter. They are thrown, together with those found here.
 */
export function filteredBy(
  context: SchemaContext,
  filter: FilterNode,
  action: ContentAction,
  faults: QueryFaults,
): Condition {
  const { fields, schema } = context;
  schemaFor(context, schema.name, 'list');
  const found = new FilterResolver(fields, faults).resolve(filter, schema, 'list');
  faults.assertNone();
  return allOf([fields.visible(schema, 'list'), fields.visible(schema, action), found]);
}
