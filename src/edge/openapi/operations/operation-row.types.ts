import type { ErrorCode } from '../../../kernel/error-catalogue.js';
import type { Json } from '../document/json-text.types.js';

/** An error of an operation; with a status where it is not that of the catalogue (CONTRACT §3, mailed tokens). */
export type DocumentedError = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** What the code of a route does not say of itself. */
export interface OperationRow {
  /** The group that the operation stands in. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** JSON Schema of the answer; left out where it has no body. */
  readonly answer?: Json;
  /** Media type of the answer, where it is no JSON. */
  readonly mediaType?: string;
  /** Media types that the answer has as well, if a parameter asks for it. */
  readonly otherAnswers?: Readonly<Record<string, Json>>;
  /** Whether `If-None-Match` with the tag of the answer is answered with 304. */
  readonly validated?: boolean;
  /** Statuses of success, where they are not what the code declares. */
  readonly statuses?: readonly number[];
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, Json>>;
  /** Errors beyond those that every route of its kind has. */
  readonly errors?: readonly DocumentedError[];
  /** Parameters of the query and headers, as OpenAPI writes them. */
  readonly parameters?: readonly Json[];
  /** JSON Schema of a body whose fields are not declared by a class. */
  readonly body?: Json;
  /** Media types that the body may have instead of JSON. */
  readonly otherBodies?: Readonly<Record<string, Json>>;
}

/** Rows by method and path as they are declared: `GET /api/auth/me`. */
export type OperationTable = Readonly<Record<string, OperationRow>>;
