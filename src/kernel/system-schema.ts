import type { Provider } from '@nestjs/common';
import type { ErrorCode } from './errors/error-catalogue.js';
import type { FieldDefinition, SchemaDefinition } from './schema-definition.types.js';

/** Holds the traits of a schema's records beside its fields: a system schema has those of its owner. */
export interface SchemaTraits {
  /** Writers of records over the API: those whom permissions let, root roles alone, or nobody, as the service itself does. */
  readonly writtenBy: 'permission' | 'root' | 'service';
  /** Whether permissions let records be deleted, and restored, that the service writes. */
  readonly isDeletable: boolean;
  /** Field with the account that made a record, which may link it whether or not it may see it otherwise; null if there is none. */
  readonly makerField: string | null;
  /** Fields that only a permission that names them lets be written. */
  readonly protectedFields: readonly string[];
  /** Relations that are written from their other side alone. */
  readonly inverseFields: readonly string[];
  /** Names of unique constraints that migrations make, each with the field that a refusal names. */
  readonly uniques: Readonly<Record<string, string>>;
  /** Errors that its owner's hooks answer writes with, beside those of every record. */
  readonly writeErrors: readonly ErrorCode[];
  /** Columns that belong to no field, each with its SQL type; hooks before the write may fill them. */
  readonly internalColumns: Readonly<Record<string, string>>;
  /** Whether fields of type `file` lead to it, over which its records may be read; of one schema alone. */
  readonly holdsFiles: boolean;
}

/** A schema of the service itself, given by its owner: migrations make its table, never a plan; fields can be added to it. */
export interface SystemSchema extends SchemaTraits {
  readonly definition: SchemaDefinition;
  /** Fields that are written and never answered, filtered or sorted by. They stand in no definition. */
  readonly hidden: readonly FieldDefinition[];
  /** Whether a deletion sets its field `deleted_at`, and can be taken back. */
  readonly softDelete: boolean;
  /** Whether its records are accounts, which people erase (CONTRACT §9); of one schema alone. */
  readonly holdsAccounts: boolean;
}

/** The system schemas of an application, by name. */
export type SystemSchemas = ReadonlyMap<string, SystemSchema>;

/** The traits of a schema that a team made. */
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

/** Returns what holds of the records of a schema, without its definition. */
export function traitsOf({
  writtenBy,
  isDeletable,
  makerField,
  protectedFields,
  inverseFields,
  uniques,
  writeErrors,
  internalColumns,
  holdsFiles,
}: SchemaTraits): SchemaTraits {
  const written = { writtenBy, isDeletable, makerField, protectedFields, inverseFields };
  return { ...written, uniques, writeErrors, internalColumns, holdsFiles };
}

/** A provider's value that gives a system schema to the application. */
export class SystemSchemaRegistration {
  constructor(readonly schema: SystemSchema) {}
}

/** Every system schema of this program, whatever modules an application has: for tools that work without one. */
const DECLARED = new Map<string, SystemSchema>();
/** Tables that belong to modules. */
const SERVICE_TABLES = new Set<string>();

/** Declares a system schema. What is not said is as in any schema. */
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

/** Gives a system schema to the application: it stands among the providers of the module that owns the table. */
export function provideSystemSchema(schema: SystemSchema): Provider {
  const useValue = new SystemSchemaRegistration(schema);
  return { provide: Symbol(`system schema ${schema.definition.name}`), useValue };
}

/** Returns every system schema that this program declares. */
export function declaredSystemSchemas(): SystemSchemas {
  return DECLARED;
}

/** Keeps the names of tables from being taken by a schema, but for the system schema that its owner gives to them. */
export function reserveTables(tables: readonly string[]): void {
  for (const table of tables) SERVICE_TABLES.add(table);
}

/** Returns whether a table was reserved by {@link reserveTables}. */
export function isServiceTable(table: string): boolean {
  if (!SERVICE_TABLES.has(table)) return false;
  return ![...DECLARED.values()].some(({ definition }) => definition.namespace === table);
}
