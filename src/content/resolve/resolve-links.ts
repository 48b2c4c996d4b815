import type { LinkedRelationField, LinkedSchema } from '../../schema/model/schema-model.types.js';
import type { FilterScalar } from '../request/filter.types.js';
import { ALWAYS, type Condition } from './resolved.types.js';
import { filterValue } from './sql-value.js';
import { isFieldWritable, isWritable, writeRule } from './write-access.js';
import type { RecordRef, RecordWrite, WriteTask, WriteWorld, WrittenLinks, WrittenReference } from './write.types.js';
import type { WriteFaults } from './write-faults.js';

type Body = Readonly<Record<string, unknown>>;

/** Turns what a body says of relations into references and links. */
export class LinkResolver {
  constructor(
    private readonly world: WriteWorld,
    private readonly faults: WriteFaults,
    private readonly nest: (task: WriteTask) => RecordWrite,
  ) {}

  resolve(field: LinkedRelationField, value: unknown, prefix: string): WrittenReference | WrittenLinks | null {
    const target = this.world.snapshot.schemas[field.target];
    const place = `${prefix}${field.name}`;
    if (target === undefined) return this.refuse(place);
    const { join } = field;
    if (join.kind === 'direct' && join.holder === 'own') {
      if (value === null && field.optional) return { field, target, column: join.ownColumn, ref: null, place };
      const ref = this.ref(field, target, value, place);
      return ref && { field, target, column: join.ownColumn, ref, place };
    }
    const where = this.otherSide(field, target);
    if (where === null) return this.refuse(place, 'unknown_field');
    if (field.many) return this.many(field, target, value, place, where);
    const refs = value === null ? [] : [this.ref(field, target, value, place)];
    const add = refs.flatMap((ref) => ref ?? []);
    return { field, target, add, remove: [], replaces: true, where, place };
  }

  /** A link that another record holds is a change of that record. */
  private otherSide({ join, backField }: LinkedRelationField, target: LinkedSchema): Condition | null {
    if (join.kind === 'junction') return ALWAYS;
    if (!isFieldWritable(target, 'update', backField, this.world.access)) return null;
    return writeRule(target, 'update', [backField], this.world.access);
  }

  private many(
    field: LinkedRelationField,
    target: LinkedSchema,
    value: unknown,
    place: string,
    where: Condition,
  ): WrittenLinks | null {
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
    return { field, target, add, remove, replaces: $set !== undefined, where, place };
  }

  private ref(
    field: LinkedRelationField,
    target: LinkedSchema,
    value: unknown,
    place: string,
    mayBeNew = true,
  ): RecordRef | null {
    const primary = this.world.fields.primary(target);
    const id = isObject(value) ? value[primary.name] : value;
    if (typeof id === 'string' || typeof id === 'number') {
      const isAlone = !isObject(value) || Object.keys(value).length === 1;
      const fitting = isAlone ? filterValue(id as FilterScalar, primary.type) : undefined;
      return fitting === undefined ? this.refuse(place) : { kind: 'id', value: fitting };
    }
    if (!isObject(value) || !mayBeNew) return this.refuse(place);
    if (!isWritable(target, 'create', this.world.access)) return this.refuse(place, 'unknown_field');
    const isHolder = field.join.kind === 'direct' && field.join.holder === 'target';
    const preset = isHolder ? field.backField : undefined;
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
