import type { LinkedRelationField, LinkedSchema } from '../../model/schema-model.types.js';
import type { FilterScalar } from '../request/filter.types.js';
import { backOf, linkRule } from './link-rule.js';
import { filterValue } from './sql-value.js';
import { isFieldWritable, isWritable } from './write-access.js';
import type { RecordRef, RecordWrite, WriteTask, WriteContext, WrittenLinks, WrittenReference } from './write.types.js';
import type { WriteFaults } from './write-faults.js';

type Body = Readonly<Record<string, unknown>>;

/** Turns what a body says of relations into references and links. */
export class LinkResolver {
  constructor(
    private readonly context: WriteContext,
    private readonly faults: WriteFaults,
    private readonly nest: (task: WriteTask) => RecordWrite,
  ) {}

  resolve(
    schema: LinkedSchema,
    field: LinkedRelationField,
    value: unknown,
    prefix: string,
  ): WrittenReference | WrittenLinks | null {
    const target = this.context.snapshot.schemas[field.target];
    const place = `${prefix}${field.name}`;
    if (target === undefined) return this.refuse(place);
    const { join } = field;
    const back = backOf(field, target);
    const touch = linkRule(this.context, target, back);
    const isFixed = back?.immutable === true;
    if (join.kind === 'direct' && join.holder === 'own') {
      const reference = { field, target, column: join.ownColumn, touch, isFixed, place };
      if (value === null && field.optional) return { ...reference, ref: null };
      const ref = this.ref(field, target, value, place);
      return ref && { ...reference, ref };
    }
    if (join.kind === 'direct' && !this.isHeldByWritten(field, target)) return this.refuse(place, 'unknown_field');
    const ownTouch = linkRule(this.context, schema, field);
    const links = this.links(field, target, value, place);
    return links && { field, target, ...links, touch, ownTouch, isFixed, place };
  }

  /** A link that another record holds is a change of that record, or made with it. */
  private isHeldByWritten({ backField }: LinkedRelationField, target: LinkedSchema): boolean {
    const { access } = this.context;
    return (['update', 'create'] as const).some((action) => isFieldWritable(target, action, backField, access));
  }

  private links(
    field: LinkedRelationField,
    target: LinkedSchema,
    value: unknown,
    place: string,
  ): Pick<WrittenLinks, 'add' | 'remove' | 'replaces'> | null {
    if (!field.many) {
      const ref = value === null ? null : this.ref(field, target, value, place);
      return { add: ref === null ? [] : [ref], remove: [], replaces: true };
    }
    const operations: Body | null = Array.isArray(value) ? { $set: value } : isObject(value) ? value : null;
    const { $add = [], $remove = [], $set, ...rest } = operations ?? { wrong: true };
    const added = $set ?? $add;
    const isMixed = $set !== undefined && (operations?.['$add'] !== undefined || operations?.['$remove'] !== undefined);
    if (Object.keys(rest).length > 0 || isMixed || !Array.isArray(added) || !Array.isArray($remove))
      return this.refuse(place, 'list_invalid');
    const add = added.flatMap((entry: unknown, at) => this.ref(field, target, entry, `${place}[${at}]`) ?? []);
    const remove = $remove.flatMap((entry: unknown, at) => {
      const ref = this.ref(field, target, entry, `${place}.$remove[${at}]`, false);
      return ref?.kind === 'id' ? [ref.value] : [];
    });
    return { add, remove, replaces: $set !== undefined };
  }

  private ref(
    field: LinkedRelationField,
    target: LinkedSchema,
    value: unknown,
    place: string,
    mayBeNew = true,
  ): RecordRef | null {
    const primary = this.context.fields.primary(target);
    const id = isObject(value) ? value[primary.name] : value;
    if (typeof id === 'string' || typeof id === 'number') {
      const isAlone = !isObject(value) || Object.keys(value).length === 1;
      const fitting = isAlone ? filterValue(id as FilterScalar, primary.type) : undefined;
      return fitting === undefined ? this.refuse(place) : { kind: 'id', value: fitting };
    }
    if (!isObject(value) || !mayBeNew) return this.refuse(place);
    if (!isWritable(target, 'create', this.context.access)) return this.refuse(place, 'unknown_field');
    const isHolder = field.join.kind === 'direct' && field.join.holder === 'target';
    const preset = isHolder ? field.backField : undefined;
    if (preset !== undefined && !isFieldWritable(target, 'create', preset, this.context.access))
      return this.refuse(place, 'unknown_field');
    return {
      kind: 'new',
      write: this.nest({ schema: target, mode: 'create', body: value, place: `${place}.`, preset }),
    };
  }

  private refuse(place: string, code: Parameters<WriteFaults['add']>[1] = 'reference_invalid'): null {
    this.faults.add(place, code);
    return null;
  }
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
