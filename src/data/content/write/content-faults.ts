import { isDataFault, readDriverFault } from '../../../platform/database/database.public.js';
import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import type { LinkedTable } from '../../model/schema-model.types.js';
import type { ContentContext } from '../content-context.service.js';
import { isNameable } from '../resolve/content-access.js';

type FaultContext = Pick<ContentContext, 'snapshot' | 'access'>;

/**
 * Maps SQLSTATEs to API errors (PostgreSQL Appendix A). Other errors are returned unchanged. Fields are named only if the caller may read
 * or write them.
 */
export function toContentFault(error: unknown, context: FaultContext, isDelete: boolean): unknown {
  if (error instanceof AppError) return error;
  const fault = readDriverFault(error);
  const constraint = fault?.constraint ?? '';
  switch (fault?.code) {
    case '23505':
      return refusal('unique_violation', uniqueFields(constraint, context), 'is in use already', error);
    case '23503':
    case '23001':
      if (isDelete) return new AppError('record_in_use', { cause: error });
      return refusal(
        'reference_not_found',
        foreignField(constraint, context),
        'refers to a record that does not exist',
        error,
      );
    case '23502':
    case '23514':
      return new AppError('field_invalid', { cause: error });
    case '40P01':
    case '55P03':
      return new AppError('server_busy', { cause: error, retryAfterSeconds: 1 });
    default:
      return isDataFault(error) ? new AppError('field_invalid', { cause: error }) : error;
  }
}

/**
 * Maps constraint violations like {@link toContentFault}, with the path of the record before each field. Other errors are returned
 * unchanged, because the transaction may be retried for them.
 */
export function toLocatedFault(error: unknown, context: FaultContext, location: string): unknown {
  if (location === '' || readDriverFault(error)?.code?.startsWith('23') !== true) return error;
  const fault = toContentFault(error, context, false);
  if (!(fault instanceof AppError)) return error;
  const { errors = [] } = fault.details as { readonly errors?: readonly FieldFault[] };
  const placed = errors.map((one) => ({ ...one, field: `${location}${one.field}` }));
  return new AppError(fault.code, { details: errors.length === 0 ? {} : { errors: placed }, cause: error });
}

function refusal(
  code: 'unique_violation' | 'reference_not_found',
  fields: readonly string[],
  message: string,
  cause: unknown,
): AppError {
  const errors = fields.map((field) => ({ field, code, message }));
  return new AppError(code, { details: fields.length === 0 ? {} : { errors }, cause });
}

function uniqueFields(constraint: string, context: FaultContext): readonly string[] {
  const owner = Object.values(context.snapshot.schemas).find(({ traits }) => Object.hasOwn(traits.uniques, constraint));
  const field = owner?.traits.uniques[constraint];
  if (owner !== undefined && field !== undefined) return isNameable(owner, field, context.access) ? [field] : [];
  return namedColumns(
    context,
    ({ indexes, primaryKey }) => [...indexes, primaryKey].find((index) => index.name === constraint)?.columns,
  );
}

function foreignField(constraint: string, context: FaultContext): readonly string[] {
  return namedColumns(context, ({ foreignKeys }) => {
    const key = foreignKeys.find(({ name }) => name === constraint);
    return key && [key.column];
  });
}

function namedColumns(
  { snapshot, access }: FaultContext,
  find: (table: LinkedTable) => readonly string[] | undefined,
): readonly string[] {
  for (const schema of Object.values(snapshot.schemas)) {
    const columns = find(schema.table);
    if (columns === undefined) continue;
    const fields = columns.map((name) => schema.table.columns.find((column) => column.name === name)?.field ?? '');
    return fields.filter((name) => isNameable(schema, name, access));
  }
  return [];
}

/** Returns null if the request is invalid. The caller then writes in steps, to locate the error. */
export function unlessRefused<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
