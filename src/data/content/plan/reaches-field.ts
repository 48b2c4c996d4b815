import type { RelationJoin } from '../../model/schema-model.types.js';
import type { Condition, JoinStep, Operand } from '../resolve/conditions.js';
import type { PlannedRecord } from './query-plan.types.js';

type IsOver = (join: RelationJoin) => boolean;

/**
 * Returns true if a condition or the selected fields read one of these tables. The record's own table counts only if a relation leads to
 * it.
 */
export function referencesAny(
  tables: ReadonlySet<string>,
  conditions: readonly Condition[],
  record?: PlannedRecord,
): boolean {
  const isOver = (join: RelationJoin): boolean =>
    tables.has(join.targetTable) || (join.kind === 'junction' && tables.has(join.junctionTable));
  return reachesField(isOver, conditions, record);
}

export function reachesField(isOver: IsOver, conditions: readonly Condition[], record?: PlannedRecord): boolean {
  return conditions.some((condition) => inCondition(condition, isOver)) || (record ? inRecord(record, isOver) : false);
}

function inRecord({ columns, relations }: PlannedRecord, isOver: IsOver): boolean {
  if (columns.some(({ operand }) => inOperand(operand, isOver))) return true;
  return relations.some(
    ({ join, where, guard, sort, record }) =>
      isOver(join) ||
      reachesField(isOver, guard === null ? [where] : [where, guard], record) ||
      sort.some(({ operand }) => inOperand(operand, isOver)),
  );
}

function inCondition(condition: Condition, isOver: IsOver): boolean {
  switch (condition.kind) {
    case 'constant':
    case 'search':
      return false;
    case 'all':
    case 'any':
      return condition.of.some((part) => inCondition(part, isOver));
    case 'not':
    case 'sure':
      return inCondition(condition.of, isOver);
    case 'compare':
    case 'text':
      return inOperand(condition.left, isOver) || inOperand(condition.right, isOver);
    case 'among':
    case 'pattern':
      return inOperand(condition.left, isOver);
    case 'present':
    case 'truth':
      return inOperand(condition.of, isOver);
    case 'exists':
      return inJoinStep(condition.joinStep, isOver) || inCondition(condition.where, isOver);
    case 'through':
      return inJoinStep(condition.joinStep, isOver) || inCondition(condition.of, isOver);
    case 'given':
      return inCondition(condition.where, isOver) || inCondition(condition.of, isOver);
  }
}

function inOperand(operand: Operand, isOver: IsOver): boolean {
  if (operand.kind === 'value') return false;
  if (operand.kind === 'place') return isOver(operand.join);
  if (operand.kind === 'column') return operand.guard !== null && inCondition(operand.guard, isOver);
  return inJoinStep(operand.joinStep, isOver) || inOperand(operand.of, isOver);
}

function inJoinStep({ join, where, guard }: JoinStep, isOver: IsOver): boolean {
  return isOver(join) || inCondition(where, isOver) || (guard !== null && inCondition(guard, isOver));
}
