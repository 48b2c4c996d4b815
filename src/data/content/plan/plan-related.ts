import { allOf, ALWAYS, type Condition, type Operand, ownColumn } from '../resolve/conditions.js';
import type { ResolvedRelation, ResolvedSort } from '../resolve/resolved.types.js';
import type { LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import type { FieldResolver } from '../resolve/field-resolver.js';
import type { Placeholder } from '../resolve/placeholder.js';
import { comparedAs } from '../resolve/sql-values.js';
import type { ListPlan } from './query-plan.types.js';

export interface LinkedRecords {
  readonly where: Condition;
  readonly order: readonly ResolvedSort[];
  readonly to: NonNullable<ListPlan['linkedTo']>;
}

export function linkedRecords(
  schema: LinkedSchema,
  { field, joinStep: { join, guard } }: ResolvedRelation,
  key: Placeholder,
  fields: FieldResolver,
): LinkedRecords {
  const primary = fields.primary(schema);
  const own: Operand = { kind: 'value', value: key, sqlType: comparedAs(primary.type) };
  const equals = (left: Operand): Condition => ({ kind: 'compare', comparison: '=', left, right: own });
  const byKey = equals(ownColumn(primary.column));
  const isJoinedByPrimaryKey = join.kind === 'direct' && join.ownColumn === primary.column;
  return {
    where: isJoinedByPrimaryKey
      ? equals(ownColumn(join.targetColumn))
      : { kind: 'exists', joinStep: { join: reversed(join, schema), where: byKey, guard: null }, where: ALWAYS },
    order: orderOf(field.id, join, own),
    to: {
      table: schema.table.name,
      where: allOf([byKey, fields.visible(schema, 'get'), ...(guard === null ? [] : [guard])]),
    },
  };
}

function reversed(join: RelationJoin, { table }: LinkedSchema): RelationJoin {
  const targets = { ownColumn: join.targetColumn, targetTable: table.name, targetColumn: join.ownColumn };
  if (join.kind === 'direct') return { kind: 'direct', holder: 'own', ...targets };
  const { junctionTable, junctionOwnColumn, junctionTargetColumn } = join;
  return {
    kind: 'junction',
    ...targets,
    junctionTable,
    junctionOwnColumn: junctionTargetColumn,
    junctionTargetColumn: junctionOwnColumn,
  };
}

function orderOf(id: string, join: RelationJoin, own: Operand): readonly ResolvedSort[] {
  if (join.kind !== 'junction' || join.junctionOrderColumn === undefined) return [];
  const operand: Operand = { kind: 'place', join, order: join.junctionOrderColumn, of: own };
  return [{ identity: `${id} place`, operand, type: 'int64', descending: false, nullable: false }];
}
