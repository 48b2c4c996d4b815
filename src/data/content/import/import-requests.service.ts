import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Principal, RequestOrigin } from '../../../kernel/principal.types.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import { ContentContexts, type SchemaContext, schemaFor } from '../content-context.service.js';
import type { RawQuery } from '../request/parse-list-query.js';
import { type ImportQuery, parseImportQuery } from '../request/parse-import-query.js';
import { isWritable } from '../resolve/writes/write-access.js';
import type { WriteTransaction } from '../write/write-transaction.types.js';
import { ImportBodies } from './import-bodies.js';
import type { ImportFaults } from './import-faults.js';
import { importKey } from './import-key.js';
import type { ImportScope } from './row-writes.js';

export interface ImportRequest {
  readonly principal: Principal;
  readonly origin?: RequestOrigin;
  /** Name or namespace of a schema. */
  readonly schema: string;
  readonly query: RawQuery;
  readonly mediaType: string;
}

export interface OpenedImport {
  readonly context: SchemaContext;
  readonly query: ImportQuery;
  readonly actions: readonly ('create' | 'update')[];
  readonly key: LinkedValueField | null;
}

const ACTIONS = { create: ['create'], update: ['update'], upsert: ['create', 'update'] } as const;

@Injectable()
export class ImportRequests {
  constructor(private readonly contexts: ContentContexts) {}

  /** @throws AppError errors of a create; `query_invalid`; `permission_denied` if keys are kept and the caller is not root. */
  async open({ principal, origin, schema, query, mediaType }: ImportRequest): Promise<OpenedImport> {
    if (principal.kind === 'guest') throw new AppError('token_missing');
    const read = parseImportQuery(query, mediaType, this.contexts.limits);
    const actions = ACTIONS[read.mode];
    const context = { ...(await this.contexts.openSchema(principal, schema, actions[0])), origin };
    for (const action of actions) {
      schemaFor(context, schema, action);
      if (!isWritable(context.schema, action, context.access)) throw new AppError('permission_denied');
    }
    if (read.keepsGenerated && !context.permissions.root) throw new AppError('permission_denied');
    return { context, query: read, actions, key: importKey(context, read) };
  }
}

export function importScope(
  { context, query, actions, key }: OpenedImport,
  transaction: WriteTransaction,
  faults: ImportFaults,
  { made = null, skipsFaulty = false }: Partial<Pick<ImportScope, 'made' | 'skipsFaulty'>> = {},
): ImportScope {
  const { keepsGenerated, mode } = query;
  const bodies = new ImportBodies(context, { keepsGenerated, actions, key: key?.name ?? null });
  const counts = { created: 0, updated: 0 };
  const touched = { others: false };
  const makes = mode !== 'update';
  return { transaction, context, bodies, faults, key, makes, counts, made, skipsFaulty, touched };
}
