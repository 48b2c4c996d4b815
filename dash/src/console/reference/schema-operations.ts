import type { OpenApi } from '../../reference/open-api.js';
import { type SampleRequest, sampleRequest } from '../../reference/snippets.js';

/** Verbs for the records of a schema, in the order in which they are told. */
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

/** One request that somebody may make of a schema. */
export interface SchemaOperation {
  readonly verb: Verb;
  readonly method: string;
  readonly path: string;
  readonly request: SampleRequest;
}

/** Record or list that is open on the page, of which the samples are. */
export interface OpenPlace {
  /** The key of the record. */
  readonly id?: string;
  /** The query of the list. */
  readonly query?: string;
}

/** Returns the requests of a schema that its document has: those alone that whoever asked for it may make. */
export function operationsOf(document: OpenApi, schema: string, origin: string, place: OpenPlace): SchemaOperation[] {
  const found = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { tags, operationId }]) => {
      const verb = tags.includes(schema) ? verbOf(operationId) : undefined;
      // The lists of related records belong to the schema as well; the page shows that of the schema itself.
      if (verb === 'list' && path.includes('{id}')) return [];
      const request = sampleRequest(document, path, method, origin);
      if (verb === undefined || request === null) return [];
      return [{ verb, method: method.toUpperCase(), path, request: placed(request, verb, path, origin, place) }];
    }),
  );
  return found.sort((one, other) => VERBS.indexOf(one.verb) - VERBS.indexOf(other.verb));
}

/** Returns whether a request can be tried by a press: it reads, and its answer is short. */
export const canBeTried = ({ verb }: SchemaOperation): boolean => ['list', 'get', 'aggregate'].includes(verb);

/** Returns the longest verb that an id of an operation begins with: `updateManyPost` is no `update`. */
function verbOf(operationId: string): Verb | undefined {
  return VERBS.filter((verb) => new RegExp(`^${verb}[A-Z]`).test(operationId)).sort(
    (one, other) => other.length - one.length,
  )[0];
}

function placed(request: SampleRequest, verb: Verb, path: string, origin: string, place: OpenPlace): SampleRequest {
  const { id, query } = place;
  if (verb === 'list' && query !== undefined) return { ...request, url: origin + path + (query && `?${query}`) };
  if (id === undefined || !path.includes('{id}')) return request;
  return { ...request, url: origin + path.replace('{id}', encodeURIComponent(id)) };
}
