import { type FaultLocation, jsonPointer } from '../codes/fault-list.js';
import { createFault, SchemaFaultError } from '../codes/schema-fault.js';
import type {
  FieldDefinition,
  RelationDefinition,
  RenameDefinition,
  SchemaDefinition,
} from '../../../kernel/schema-definition.types.js';
import type { SystemSchema } from '../../../kernel/system-schema.js';
import { isCountable } from '../../model/field-types.js';

/** One side of a relation. Invalid members are omitted and listed in `faulty`. */
export interface CheckedRelation {
  readonly location: FaultLocation;
  readonly values: Partial<RelationDefinition>;
  readonly faulty: ReadonlySet<string>;
}

export interface CheckedField {
  readonly location: FaultLocation;
  /** Canonical. Complete only if the schema is valid. */
  readonly definition: FieldDefinition;
  /** Set for relation fields whose `relation` is an object. */
  readonly relation?: CheckedRelation;
}

type NameSet = Pick<ReadonlySet<string>, 'has'> & Iterable<string>;

/** The invalid fields of a schema whose fields are not all known. */
export const EVERY_NAME: NameSet = { has: () => true, [Symbol.iterator]: () => [].values() };

const NO_NAME: NameSet = new Set();

/** The primary key of a schema without `primary_field`. */
const AUTOMATIC_ID: FieldDefinition = { type: 'uuid', name: 'id', immutable: true };

/** Fields of every schema unless `disable_timestamp` is set. `deleted_at` enables soft deletion. */
export const AUTOMATIC_TIMES: readonly FieldDefinition[] = [
  { type: 'time', name: 'created_at', immutable: true },
  { type: 'time', name: 'updated_at' },
  { type: 'time', name: 'deleted_at', optional: true },
];

interface SchemaParts {
  readonly location: FaultLocation;
  /** Canonical. `name`, `namespace` and `label_field` are empty if they were invalid. */
  readonly definition: SchemaDefinition;
  /** Default: the fields of the definition. They are read lazily, because those of most schemas are never needed. */
  readonly fields?: ReadonlyMap<string, CheckedField>;
  /** Names of invalid fields. Later stages must not report them as missing. */
  readonly invalid?: NameSet;
  readonly system?: SystemSchema | undefined;
  readonly renames?: RenameDefinition | undefined;
}

/** A separately checked schema. Its definition is complete only if it is valid. */
export class CheckedSchema {
  private readFields: ReadonlyMap<string, CheckedField> | undefined;
  private columnOrder: ReadonlyMap<string, FieldDefinition> | undefined;

  readonly location: FaultLocation;
  readonly definition: SchemaDefinition;
  readonly invalid: NameSet;
  readonly system: SystemSchema | undefined;
  readonly renames: RenameDefinition | undefined;

  constructor(private readonly parts: SchemaParts) {
    this.location = parts.location;
    this.definition = parts.definition;
    this.invalid = parts.invalid ?? NO_NAME;
    this.system = parts.system;
    this.renames = parts.renames;
  }

  with(parts: Partial<SchemaParts>): CheckedSchema {
    return new CheckedSchema({ ...this.parts, ...parts });
  }

  get name(): string {
    return this.definition.name;
  }

  get fields(): ReadonlyMap<string, CheckedField> {
    return (this.readFields ??= this.parts.fields ?? definedFields(this.parts));
  }

  /** The fields in column order: `id`, declared, hidden, timestamps. Without back references of files. */
  get allFields(): ReadonlyMap<string, FieldDefinition> {
    if (this.columnOrder !== undefined) return this.columnOrder;
    const { definition, fields, system } = this;
    const { before, after } = automaticFields(definition, fields, system);
    const declared = [...fields.values()].map((field) => field.definition);
    const ordered = [...before, ...declared, ...(system?.hidden ?? []), ...after];
    return (this.columnOrder = new Map(ordered.map((field) => [field.name, field])));
  }

  get primaryFieldName(): string {
    return this.definition.primary_field ?? 'id';
  }

  /** Throws `builder.schema.primary_key.missing`, which validation excludes. */
  get primaryField(): FieldDefinition {
    const field = this.allFields.get(this.primaryFieldName);
    if (field) return field;
    throw new SchemaFaultError([createFault('builder.schema.primary_key.missing', { schema: this.name })]);
  }

  /** True if records have soft deletion. System schemas define it explicitly. */
  get softDelete(): boolean {
    return this.system === undefined ? !this.definition.disable_timestamp : this.system.softDelete;
  }

  /** Returns true for a built-in field of a system schema, whose column is created by migrations. */
  isSystemField(name: string): boolean {
    return this.isHidden(name) || (this.system?.definition.fields.some((own) => own.name === name) ?? false);
  }

  isHidden(name: string): boolean {
    return this.system?.hidden.some((hidden) => hidden.name === name) ?? false;
  }

  isIdentity({ name, type, db }: FieldDefinition): boolean {
    return isCountable(type) && (name === this.primaryFieldName || db?.increment === true);
  }

  generatedBy(field: FieldDefinition) {
    const { name, type } = field;
    if (type === 'uuid' && name === this.primaryFieldName) return 'uuid';
    if (this.isIdentity(field)) return 'increment';
    if (type !== 'time' || this.definition.disable_timestamp) return undefined;
    if (name === 'created_at' || name === 'updated_at') return name;
    return name === 'deleted_at' && this.softDelete ? name : undefined;
  }
}

function definedFields({ definition, location }: SchemaParts): ReadonlyMap<string, CheckedField> {
  return new Map(
    definition.fields.map((field, index) => {
      const fieldLocation = { ...location, field: field.name, path: jsonPointer('', 'fields', index) };
      return [field.name, checkedField(fieldLocation, field)];
    }),
  );
}

/** Returns a field without errors. */
export function checkedField(location: FaultLocation, definition: FieldDefinition): CheckedField {
  const { relation } = definition;
  return { location, definition, relation: relation && { location, values: relation, faulty: new Set() } };
}

export function automaticFields(
  { primary_field, disable_timestamp }: Pick<SchemaDefinition, 'primary_field' | 'disable_timestamp'>,
  declared: ReadonlyMap<string, unknown>,
  system: SystemSchema | undefined,
): { readonly before: readonly FieldDefinition[]; readonly after: readonly FieldDefinition[] } {
  if (system) return { before: [], after: [] };
  const needsId = (primary_field ?? 'id') === 'id' && !declared.has('id');
  const times = disable_timestamp ? [] : AUTOMATIC_TIMES.filter(({ name }) => !declared.has(name));
  return { before: needsId ? [AUTOMATIC_ID] : [], after: times };
}
