/**
 * The schemas of the application, by name: it declares them here by declaration merging, from what `schema:types` writes.
 *
 *     declare module 'lintel' {
 *       interface ContentTypes extends Schemas {}
 *     }
 */
export interface ContentTypes {}

/** The name of a schema; any text as long as nothing is declared. */
export type SchemaName = [keyof ContentTypes] extends [never] ? string : Extract<keyof ContentTypes, string>;

interface UndeclaredTypes {
  readonly record: Record<string, unknown>;
  readonly create: Readonly<Record<string, unknown>>;
  readonly update: Readonly<Record<string, unknown>>;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: string;
}

type TypesOf<Name extends string> = Name extends keyof ContentTypes ? ContentTypes[Name] : UndeclaredTypes;

/** A type of a schema: its records, what is written, its filters and sort keys; `never` for what cannot be done with it. */
export type ContentType<Name extends string, Kind extends keyof UndeclaredTypes> =
  TypesOf<Name> extends Readonly<Record<Kind, infer Type>> ? Type : never;

/** Options for answers of records, in the words of the API. */
export interface RecordOptions {
  /** `id,title,category.name`, or a list of such paths. */
  readonly select?: string | readonly string[] | undefined;
  /** Queries of the records of relations, by the path of the relation. */
  readonly relations?: Readonly<Record<string, object>> | undefined;
  /** Includes the deleted records that may be restored; `only` returns nothing else. */
  readonly withDeleted?: boolean | 'only' | undefined;
}

/** Conditions that a change of one record is held to. */
export interface ChangeOptions {
  /** The version that the record must still have, as `getWithVersion` returned it: else `record_changed`. */
  readonly ifVersion?: string | undefined;
}

/** Options of a list, in the words of the API. */
export interface ListOptions<Name extends string> extends RecordOptions {
  readonly filter?: ContentType<Name, 'filter'> | undefined;
  readonly sort?: ContentType<Name, 'sort'> | readonly ContentType<Name, 'sort'>[] | undefined;
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
  /** `next_cursor` of a page, or an empty text for the first one. */
  readonly cursor?: string | undefined;
  readonly count?: 'exact' | 'capped' | 'none' | undefined;
}

/** Options of an aggregate, in the words of the API. */
export interface AggregateOptions<Name extends string> {
  readonly filter?: ContentType<Name, 'filter'> | undefined;
  /** Whether records are counted. */
  readonly count?: boolean | undefined;
  readonly sum?: readonly string[] | undefined;
  readonly avg?: readonly string[] | undefined;
  readonly min?: readonly string[] | undefined;
  readonly max?: readonly string[] | undefined;
  readonly group?: readonly string[] | undefined;
}

/** A page of a list; the numbers are null with `count: 'none'`. */
export interface RecordPage<T> {
  readonly total: number | null;
  readonly per_page: number;
  readonly current_page: number;
  readonly last_page: number | null;
  readonly capped?: true;
  readonly items: readonly T[];
}

/** A page of a list by cursor. */
export interface RecordCursorPage<T> {
  readonly per_page: number;
  /** Null on the last page. */
  readonly next_cursor: string | null;
  readonly items: readonly T[];
}
