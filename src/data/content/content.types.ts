/**
 * The schemas of the application by name. The application adds them by declaration merging, from the output of `schema:types`.
 *
 *     declare module 'lintel' {
 *       interface ContentTypes extends Schemas {}
 *     }
 */
export interface ContentTypes {}

/** Name of the schema. Any string if no schemas are declared. */
export type SchemaName = [keyof ContentTypes] extends [never] ? string : Extract<keyof ContentTypes, string>;

interface UndeclaredTypes {
  readonly record: Record<string, unknown>;
  readonly create: Readonly<Record<string, unknown>>;
  readonly update: Readonly<Record<string, unknown>>;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: string;
}

type TypesOf<Name extends string> = Name extends keyof ContentTypes ? ContentTypes[Name] : UndeclaredTypes;

/** A type of a schema: its records, input, filters and sort keys. `never` for unsupported operations. */
export type ContentType<Name extends string, Kind extends keyof UndeclaredTypes> =
  TypesOf<Name> extends Readonly<Record<Kind, infer Type>> ? Type : never;

/** Options for returned records. The names are those of the API. */
export interface RecordOptions {
  /** `id,title,category.name`, or a list of such paths. */
  readonly select?: string | readonly string[] | undefined;
  /** Queries for related records, by relation path. */
  readonly relations?: Readonly<Record<string, object>> | undefined;
  /** Includes deleted records that can be restored; `only` returns nothing else. */
  readonly withDeleted?: boolean | 'only' | undefined;
}

/** Preconditions for changing one record. */
export interface ChangeOptions {
  /** Version that the record must still have, from `getWithVersion`. Otherwise the call throws `record_changed`. */
  readonly ifVersion?: string | undefined;
}

/** Options of a list. The names are those of the API. */
export interface ListOptions<Name extends string> extends RecordOptions {
  readonly filter?: ContentType<Name, 'filter'> | undefined;
  readonly sort?: ContentType<Name, 'sort'> | readonly ContentType<Name, 'sort'>[] | undefined;
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
  /** `next_cursor` of the previous page, or an empty string for the first page. */
  readonly cursor?: string | undefined;
  readonly count?: 'exact' | 'capped' | 'none' | undefined;
}

/** Options of an aggregate. The names are those of the API. */
export interface AggregateOptions<Name extends string> {
  readonly filter?: ContentType<Name, 'filter'> | undefined;
  /** Whether to count records. */
  readonly count?: boolean | undefined;
  readonly sum?: readonly string[] | undefined;
  readonly avg?: readonly string[] | undefined;
  readonly min?: readonly string[] | undefined;
  readonly max?: readonly string[] | undefined;
  readonly group?: readonly string[] | undefined;
}

/** A page of a list. `total` and `last_page` are null with `count: 'none'`. */
export interface RecordPage<T> {
  readonly total: number | null;
  readonly per_page: number;
  readonly current_page: number;
  readonly last_page: number | null;
  readonly capped?: true;
  readonly items: readonly T[];
}

/** A cursor page of a list. */
export interface RecordCursorPage<T> {
  readonly per_page: number;
  /** Null on the last page. */
  readonly next_cursor: string | null;
  readonly items: readonly T[];
}
