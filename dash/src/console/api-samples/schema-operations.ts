import type { OpenApi } from '../../reference/open-api.js';
import { type SampleRequest, sampleRequest } from '../../reference/snippets.js';

export const VERBS = [
  'list',
  'get',
  'create',
  'update',
  'replace',
  'delete',
  'restore',
  'updateMany',
  'deleteMany',
  'aggregate',
  'export',
  'import',
] as const;
export type Verb = (typeof VERBS)[number];

export interface SchemaOperation {
  readonly verb: Verb;
  readonly method: string;
  readonly path: string;
  readonly request: SampleRequest;
}

/** The open record or list, used in the samples. */
export interface OpenTarget {
  readonly id?: string;
  readonly query?: string;
}

/** Returns the operations of a schema. The document contains only those that the caller is allowed to use. */
export function operationsOf(document: OpenApi, schema: string, origin: string, target: OpenTarget): SchemaOperation[] {
  const found = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { tags, operationId }]) => {
      const verb = tags.includes(schema) ? verbOf(operationId) : undefined;
      // Lists of related records have the same tag, but are not shown.
      if (verb === 'list' && path.includes('{id}')) return [];
      const request = sampleRequest(document, path, method, origin);
      if (verb === undefined || request === null) return [];
      return [{ verb, method: method.toUpperCase(), path, request: sampleOf(request, verb, path, origin, target) }];
    }),
  );
  return found.sort((one, other) => VERBS.indexOf(one.verb) - VERBS.indexOf(other.verb));
}

/** Returns whether a request can be sent from the page: it only reads, and its response is short. */
export const canBeTried = ({ verb }: SchemaOperation): boolean => ['list', 'get', 'aggregate'].includes(verb);

/** Returns the longest matching verb: `updateManyPost` is not `update`. */
function verbOf(operationId: string): Verb | undefined {
  return VERBS.filter((verb) => new RegExp(`^${verb}[A-Z]`).test(operationId)).sort(
    (one, other) => other.length - one.length,
  )[0];
}

function sampleOf(request: SampleRequest, verb: Verb, path: string, origin: string, target: OpenTarget): SampleRequest {
  const { id, query } = target;
  if (verb === 'list' && query !== undefined) return { ...request, url: origin + path + (query && `?${query}`) };
  if (id === undefined || !path.includes('{id}')) return request;
  return { ...request, url: origin + path.replace('{id}', encodeURIComponent(id)) };
}
