import type { ErrorCode } from './errors/error-catalogue.js';
import type { FieldDefinition, SchemaDefinition } from './schema-definition.types.js';

/** Traits of a schema's records, in addition to its fields. The owner of a system schema sets them. */
export interface SchemaTraits {
  /** Who may write records through the API: principals with permission, only root roles, or only the service itself. */
  readonly writtenBy: 'permission' | 'root' | 'service';
  /** Whether permissions allow to delete and restore records that the service writes. */
  readonly isDeletable: boolean;
  /** Field with the account that created a record. It may link the record even if it cannot read it. Null if there is none. */
  readonly makerField: string | null;
  /** Fields that can be written only with a permission that names them. */
  readonly protectedFields: readonly string[];
  readonly inverseFields: readonly string[];
  /** Names of unique constraints that migrations create, with the field that an error reports. */
  readonly uniques: Readonly<Record<string, string>>;
  /** Error codes of its owner's hooks on writes, in addition to those of every record. */
  readonly writeErrors: readonly ErrorCode[];
  /** Columns without a field, with their SQL types. Hooks before the write may set them. */
  readonly internalColumns: Readonly<Record<string, string>>;
  /** Whether its records are files that `file` fields refer to, and that can be read through them. True for one schema only. */
  readonly holdsFiles: boolean;
}

/** A schema of the service. Migrations create its table, and fields can be added to it. */
export interface SystemSchema extends SchemaTraits {
  readonly definition: SchemaDefinition;
  /** Fields that are written but never returned, filtered or sorted by. They are not part of the definition. */
  readonly hidden: readonly FieldDefinition[];
  /** Whether a deletion only sets `deleted_at`, and can be undone. */
  readonly softDelete: boolean;
  /** Whether its records are accounts, which can be erased. True for one schema only. */
  readonly holdsAccounts: boolean;
}

export type SystemSchemas = ReadonlyMap<string, SystemSchema>;

export const ORDINARY_TRAITS: SchemaTraits = Object.freeze({
  writtenBy: 'permission',
  isDeletable: false,
  makerField: null,
  protectedFields: [],
  inverseFields: [],
  uniques: {},
  writeErrors: [],
  internalColumns: {},
  holdsFiles: false,
});

export function traitsOf(traits: SchemaTraits): SchemaTraits {
  const names = Object.keys(ORDINARY_TRAITS) as (keyof SchemaTraits)[];
  return Object.fromEntries(names.map((name) => [name, traits[name]])) as unknown as SchemaTraits;
}

/** Every system schema in this process, for tools without an application. */
const DECLARED = new Map<string, SystemSchema>();
const SERVICE_TABLES = new Set<string>();

/** Declares a system schema. Default: the traits of an ordinary schema. */
export function defineSystemSchema(
  schema: Pick<SystemSchema, 'definition'> & Partial<Omit<SystemSchema, 'definition'>>,
): SystemSchema {
  const defined = {
    ...ORDINARY_TRAITS,
    hidden: [],
    softDelete: false,
    holdsAccounts: false,
    ...schema,
  };
  DECLARED.set(schema.definition.name, defined);
  return defined;
}

export function declaredSystemSchemas(): SystemSchemas {
  return DECLARED;
}

/** Reserves table names, so that no schema can use them, except the system schema of the table. */
export function reserveTables(tables: readonly string[]): void {
  for (const table of tables) SERVICE_TABLES.add(table);
}

export function isServiceTable(table: string): boolean {
  if (!SERVICE_TABLES.has(table)) return false;
  return ![...DECLARED.values()].some(({ definition }) => definition.namespace === table);
}
