import { fieldType, testsOf, type ValueTests, valueTypeScript } from '../../model/field-types.js';
import type {
  LinkedField,
  LinkedRelationField,
  LinkedSchema,
  LinkedValueField,
} from '../../model/schema-model.types.js';
import { relationKeyLists, relationKeys } from '../../model/relation-keys.js';
import {
  hasOwnKey,
  isRequiredToCreate,
  isWrittenBy,
  isWrittenSchema,
  type WrittenMode,
  isFilterable,
  isSearchable,
  isSortable,
} from '../../model/field-uses.js';

const TESTS: Readonly<Record<ValueTests, string | null>> = {
  none: null,
  equality: 'EqualityTest',
  order: 'OrderTest',
  text: 'TextTest',
};

export class SchemaTypeText {
  private readonly type: string;

  constructor(
    private readonly schema: LinkedSchema,
    private readonly schemas: Readonly<Record<string, LinkedSchema>>,
    private readonly names: ReadonlyMap<string, string>,
  ) {
    this.type = this.nameOf(schema.name);
  }

  text(): string {
    const written = isWrittenSchema(this.schema) ? [this.create(), this.update()] : [];
    return [this.record(), ...written, this.filter(), this.sort()].join('\n');
  }

  index(): string {
    const suffixes = [...(isWrittenSchema(this.schema) ? ['Create', 'Update'] : []), 'Filter', 'Sort'];
    const members = suffixes.map((suffix) => `${suffix.toLowerCase()}: ${this.type}${suffix}`);
    return `{ ${[`record: ${this.type}`, ...members].join('; ')} }`;
  }

  private record(): string {
    const lines = this.fields((field) => !field.hidden).map((field) => {
      if (field.kind === 'value') return `${field.name}: ${orNull(valueTypeScript(field), isEmptied(field))}`;
      const target = this.nameOf(field.target);
      return `${field.name}?: ${field.many ? `${target}[]` : `${target} | null`}`;
    });
    for (const { name, relation, keyField } of relationKeys(this.schema, this.schemas))
      if (!relation.hidden) lines.push(`${name}: ${orNull(valueTypeScript(keyField), relation.optional)}`);
    const keyLists = relationKeyLists(this.schema, this.schemas).filter(({ relation }) => !relation.hidden);
    for (const { name, keyField } of keyLists) lines.push(`${name}: ${valueTypeScript(keyField)}[]`);
    const relations = this.fields((field) => !field.hidden && field.kind === 'relation' && field.many);
    const lists = [...relations, ...keyLists];
    const names = lists.map(({ name }) => JSON.stringify(name)).join(' | ');
    if (lists.length > 0) lines.push(`_truncated?: (${names})[]`);
    return declared(`A record of \`${this.schema.name}\`.`, this.type, lines);
  }

  private create(): string {
    const lines = this.written('create').map(
      (field) => `${field.name}${isRequiredToCreate(field) ? '' : '?'}: ${this.input(field)}`,
    );
    return declared(`A new record of \`${this.schema.name}\`.`, `${this.type}Create`, lines);
  }

  private update(): string {
    const lines = this.written('update').map((field) => `${field.name}?: ${this.input(field)}`);
    return declared(`Changes of a record of \`${this.schema.name}\`.`, `${this.type}Update`, lines);
  }

  private filter(): string {
    const name = `${this.type}Filter`;
    const lines = this.fields(isFilterable).map((field) => `${field.name}?: ${this.test(field)}`);
    const search = Object.values(this.schema.fields).some(isSearchable) ? ['$search?: string'] : [];
    return declared(`Filter for records of \`${this.schema.name}\`.`, `${name} extends FilterLogic<${name}>`, [
      ...lines,
      ...search,
    ]);
  }

  private sort(): string {
    const sortable = this.fields(isSortable);
    const names = (of: readonly LinkedField[]): string =>
      of.map(({ name }) => JSON.stringify(name)).join(' | ') || 'never';
    const values = sortable.filter(({ kind }) => kind === 'value');
    const toOne = sortable.filter((field) => field.kind === 'relation' && !field.many);
    return `/** Sort key for records of \`${this.schema.name}\`. */\nexport type ${this.type}Sort = SortKey<${names(values)}, ${names(toOne)}>;\n`;
  }

  private input(field: LinkedField): string {
    if (field.kind === 'value') return orNull(valueTypeScript(field), field.optional);
    const target = this.schemas[field.target];
    if (target === undefined) return 'never';
    const key = target.fields[target.primaryField];
    const keyType = key?.kind === 'value' ? valueTypeScript(key) : 'string';
    const reference = `${keyType} | { ${target.primaryField}: ${keyType} }`;
    const text = this.nested(field, target);
    if (field.many) return `Links<${[reference, ...text].join(', ')}>`;
    return orNull([reference, ...text].join(' | '), field.optional || !hasOwnKey(field));
  }

  /** Returns the type of a nested new record. Its back reference is set automatically. */
  private nested({ join, backField }: LinkedRelationField, target: LinkedSchema): readonly string[] {
    if (!isWrittenSchema(target)) return [];
    const type = `${this.nameOf(target.name)}Create`;
    const isStoredOnTarget = join.kind === 'direct' && join.holder === 'target';
    return [isStoredOnTarget ? `Omit<${type}, ${JSON.stringify(backField)}>` : type];
  }

  private test(field: LinkedField): string {
    if (field.kind === 'value') return valueTest(field);
    const target = this.schemas[field.target];
    const key = target?.fields[target.primaryField];
    const test = `RelationTest<${this.nameOf(field.target)}Filter>`;
    if (key?.kind !== 'value') return test;
    const type = valueTypeScript(key);
    return `${type} | null | (${TESTS[testsOf(fieldType(key.type).family)]}<${type}> & ${test})`;
  }

  private written(mode: WrittenMode): readonly LinkedField[] {
    return this.fields((field) => isWrittenBy(this.schema, field, mode));
  }

  private fields(which: (field: LinkedField) => boolean): readonly LinkedField[] {
    return Object.values(this.schema.fields).filter(which);
  }

  private nameOf(schema: string): string {
    return this.names.get(schema) ?? 'never';
  }
}

function valueTest(field: LinkedValueField): string {
  const test = TESTS[testsOf(fieldType(field.type).family)];
  if (test === null) return 'null | NullTest';
  const type = valueTypeScript(field);
  return `${type} | null | ${test}<${type}>`;
}

/** Returns true if a field may be null: if it is optional, for `deleted_at`, and if a getter fails. */
function isEmptied(field: LinkedValueField): boolean {
  return field.optional || field.generated === 'deleted_at' || field.getter !== undefined;
}

function orNull(type: string, nullable: boolean): string {
  return nullable && type !== 'JsonValue' ? `${type} | null` : type;
}

function declared(about: string, head: string, lines: readonly string[]): string {
  return [`/** ${about} */`, `export interface ${head} {`, ...lines.map((line) => `  ${line};`), '}', ''].join('\n');
}
