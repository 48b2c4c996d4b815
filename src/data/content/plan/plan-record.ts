import {
  allOf,
  ALWAYS,
  isLive,
  ownColumn,
  type ContentAction,
  type ResolvedKey,
  type ResolvedKeyList,
  type ResolvedValue,
} from '../resolve/conditions.js';
import type { LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import type { RecordQuery, RelationQuery } from '../request/list-query.types.js';
import { SELECT_ALL, type SelectNode } from '../request/parse-select.js';
import type { QueryFaults } from '../request/query-faults.js';
import type { FieldResolver } from '../resolve/field-resolver.js';
import { FilterResolver, resolveSort } from '../resolve/resolve-query.js';
import {
  EMPTY_RECORD,
  FOR_GETTERS,
  type PlannedColumn,
  type PlannedGetter,
  type PlannedRecord,
  type PlannedRelation,
} from './query-plan.types.js';

export class RecordPlanner {
  private readonly filters: FilterResolver;
  private readonly everyChild: RelationQuery;
  private fieldCount = 0;
  private relationCount = 0;
  private recordCount = 0;

  constructor(
    private readonly fields: FieldResolver,
    private readonly query: RecordQuery,
    private readonly faults: QueryFaults,
  ) {
    this.filters = new FilterResolver(fields, faults);
    this.everyChild = { filter: null, sort: [], limit: query.childLimit };
  }

  /**
   * @param action the action that reads the records. It decides which fields are readable.
   * @param count maximum number of records.
   */
  plan(schema: LinkedSchema, action: ContentAction, count: number): PlannedRecord {
    const record = this.record(schema, action, this.query.select, '', count);
    const { expandedRecords } = this.query.limits;
    if (this.recordCount > expandedRecords)
      this.faults.add('select', 'too_many', `may return more than ${expandedRecords} records`);
    for (const path of this.query.relations.keys())
      if (!isSelected(this.query.select, path)) this.faults.add(`relations.${path}`, 'unknown_field');
    return record;
  }

  private record(
    schema: LinkedSchema,
    action: ContentAction,
    select: SelectNode,
    prefix: string,
    count: number,
  ): PlannedRecord {
    const values = new Map<string, ResolvedValue>();
    const keys = new Map<string, ResolvedKey>();
    const lists = new Map<string, ResolvedKeyList>();
    const readableLists = this.fields.keyLists(schema, action);
    if (select.all) {
      for (const list of readableLists) lists.set(list.name, list);
      for (const name of Object.keys(schema.fields)) {
        const value = this.fields.value(schema, action, name, 'read');
        if (value !== null) values.set(name, value);
      }
      for (const key of this.fields.keys(schema, action)) keys.set(key.name, key);
    }
    const relations = new Map(select.relations);
    for (const name of select.names) {
      const value = this.fields.value(schema, action, name, 'read');
      const key = value === null ? this.fields.key(schema, action, name) : null;
      const list = readableLists.find((one) => one.name === name);
      if (value !== null) values.set(name, value);
      else if (key !== null) keys.set(name, key);
      else if (list !== undefined) lists.set(name, list);
      else relations.set(name, { ...(relations.get(name) ?? SELECT_ALL), all: true });
    }
    this.fieldCount += values.size + keys.size + lists.size;
    this.relationCount += relations.size;
    const { selectedFields, relationNodes } = this.query.limits;
    if (this.fieldCount > selectedFields || this.relationCount > relationNodes) {
      const limits = `${selectedFields} fields or ${relationNodes} relations`;
      this.faults.add('select', 'too_many', `expands to more than ${limits}`);
      return EMPTY_RECORD;
    }
    const planned = [...relations].flatMap(
      ([name, node]) => this.relation(schema, action, name, node, prefix, count) ?? [],
    );
    const { columns, getters } = columnsOf(schema, [...values.values()]);
    const keyLists = Array.from(lists.values(), (list) => this.keyList(list, prefix, count));
    const keyColumns = Array.from(keys.values(), ({ name, operand, key }) => ({
      name,
      operand,
      type: key.keyField.type,
    }));
    return { columns: [...columns, ...keyColumns], getters, relations: [...planned, ...keyLists] };
  }

  private relation(
    schema: LinkedSchema,
    action: ContentAction,
    name: string,
    node: SelectNode,
    prefix: string,
    count: number,
  ): PlannedRelation | null {
    const path = `${prefix}${name}`;
    const step = this.fields.relation(schema, action, name, 'read');
    if (step === null) {
      this.faults.add(path, 'unknown_field');
      return null;
    }
    const { target, field, joinStep } = step;
    const { filter, sort, limit } = this.query.relations.get(path) ?? this.everyChild;
    // An export has no limit and is sent record by record.
    const referenced = field.many ? count * (limit ?? 1) : count;
    this.recordCount += referenced;
    const chosen = filter === null ? ALWAYS : this.filters.resolve(filter, target, step.action);
    return {
      name,
      many: field.many,
      join: joinStep.join,
      where: allOf([joinStep.where, chosen]),
      guard: joinStep.guard,
      order: sort.length === 0 ? orderColumnOf(joinStep.join) : null,
      sort: field.many ? resolveSort(sort, target, step.action, this.fields, this.faults) : [],
      limit,
      record: this.record(target, step.action, node, `${path}.`, referenced),
    };
  }

  /** Plans a list of file keys. It counts as records only if `relations` requests the field explicitly. */
  private keyList(
    { name, relation: { join }, target, keyField, guard }: ResolvedKeyList,
    prefix: string,
    count: number,
  ): PlannedRelation {
    const path = `${prefix}${name}`;
    const requested = this.query.relations.get(path);
    if (requested !== undefined && (requested.filter !== null || requested.sort.length > 0))
      this.faults.add(`relations.${path}`, 'malformed', 'supports only limit');
    const { limit } = requested ?? this.everyChild;
    if (requested !== undefined) this.recordCount += count * (limit ?? 1);
    return {
      name,
      many: true,
      join,
      where: isLive(target),
      guard,
      order: orderColumnOf(join),
      sort: resolveSort([], target, 'list', this.fields, this.faults),
      limit,
      key: { name, operand: ownColumn(keyField.column), type: keyField.type },
      record: EMPTY_RECORD,
    };
  }
}

function orderColumnOf(join: RelationJoin): string | null {
  return join.kind === 'junction' ? (join.junctionOrderColumn ?? null) : null;
}

function columnsOf(schema: LinkedSchema, values: readonly ResolvedValue[]): Omit<PlannedRecord, 'relations'> {
  const columns = values.map(({ field, operand }): PlannedColumn => ({ name: field.name, operand, type: field.type }));
  const getters = values.flatMap(({ field }): PlannedGetter[] =>
    field.getter ? [{ name: field.name, schema: schema.name, expression: field.getter }] : [],
  );
  if (getters.length === 0) return { columns, getters };
  const needed = new Set(getters.flatMap(({ expression }) => expression.reads));
  const extra = Object.values(schema.fields).flatMap((field): PlannedColumn[] => {
    if (field.kind !== 'value' || field.hidden || !(needed.has(field.name) || needed.has('*'))) return [];
    return [{ name: `${FOR_GETTERS}${field.name}`, operand: ownColumn(field.column), type: field.type }];
  });
  return { columns: [...columns, ...extra], getters };
}

function isSelected(select: SelectNode, path: string): boolean {
  let node: SelectNode | undefined = select;
  for (const name of path.split('.')) {
    const next: SelectNode | undefined = node?.relations.get(name);
    node = next ?? (node?.names.has(name) === true ? SELECT_ALL : undefined);
  }
  return node !== undefined;
}
