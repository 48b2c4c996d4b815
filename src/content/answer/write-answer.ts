import type { ReturnPreference } from '../request/prefer-header.js';
import { recordAnswer, type RecordRow } from './list-answer.js';

/** The answer to a write, complete: it can be sent now or, with an `Idempotency-Key`, again later. */
export interface WriteAnswer {
  readonly status: number;
  /** JSON; empty for an answer without a body. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer to a write of one record; without a body where the client asked for none (RFC 7240 §4.2). */
export function recordWritten(
  { item, version }: RecordRow,
  prefer: ReturnPreference | null,
  location: string | null,
): WriteAnswer {
  const isMinimal = prefer === 'minimal';
  return {
    status: location !== null ? 201 : isMinimal ? 204 : 200,
    body: isMinimal ? '' : recordAnswer(item),
    headers: {
      ...(location === null ? {} : { location }),
      ...(version === '' ? {} : { etag: entityTag(version) }),
      ...applied(prefer),
    },
  };
}

/** The answer to a write of a list of new records. */
export function recordsWritten(items: readonly string[], prefer: ReturnPreference | null): WriteAnswer {
  return {
    status: 201,
    body: prefer === 'minimal' ? '' : `{"data":[${items.join(',')}]}`,
    headers: applied(prefer),
  };
}

/** The answer to a write that tells of no record what it holds. */
export function resultWritten(result: string): WriteAnswer {
  return { status: 200, body: recordAnswer(result), headers: {} };
}

/** The entity tag of a version of a row (RFC 9110 §8.8.3). */
export function entityTag(version: string): string {
  return `"${version}"`;
}

function applied(prefer: ReturnPreference | null): Readonly<Record<string, string>> {
  return prefer === null ? {} : { 'preference-applied': `return=${prefer}` };
}
