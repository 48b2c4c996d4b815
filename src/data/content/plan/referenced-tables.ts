import type { RelationJoin } from '../../model/schema-model.types.js';
import type { Condition, JoinStep, Operand } from '../resolve/resolved.types.js';
import type { PlannedRecord } from './query-plan.types.js';

/** Whether a condition or what is answered of a record looks into one of these tables, beside the record itself. */
export function referencesAny(
  tables: ReadonlySet<string>,
  conditions: readonly Condition[],
  record?: PlannedRecord,
): boolean {
  return conditions.some((condition) => inCondition(condition, tables)) || (record ? inRecord(record, tables) : false);
}

function inRecord({ columns, relations }: PlannedRecord, tables: ReadonlySet<string>): boolean {
  if (columns.some(({ operand }) => inOperand(operand, tables))) return true;
  return relations.some(
    ({ join, where, guard, sort, record }) =>
      inJoin(join, tables) ||
      referencesAny(tables, guard === null ? [where] : [where, guard], record) ||
      sort.some(({ operand }) => inOperand(operand, tables)),
  );
}

function inCondition(condition: Condition, tables: ReadonlySet<string>): boolean {
  switch (condition.kind) {
    case 'constant':
    case 'search':
      return false;
    case 'all':
    case 'any':
      return condition.of.some((part) => inCondition(part, tables));
    case 'not':
    case 'sure':
      return inCondition(condition.of, tables);
    case 'compare':
    case 'text':
      return inOperand(condition.left, tables) || inOperand(condition.right, tables);
    case 'among':
    case 'pattern':
      return inOperand(condition.left, tables);
    case 'present':
    case 'truth':
      return inOperand(condition.of, tables);
    case 'exists':
      return inJoinStep(condition.joinStep, tables) || inCondition(condition.where, tables);
    case 'through':
      return inJoinStep(condition.joinStep, tables) || inCondition(condition.of, tables);
    case 'given':
      return inCondition(condition.where, tables) || inCondition(condition.of, tables);
  }
}

function inOperand(operand: Operand, tables: ReadonlySet<string>): boolean {
  if (operand.kind === 'value') return false;
  if (operand.kind === 'column') return operand.guard !== null && inCondition(operand.guard, tables);
  return inJoinStep(operand.joinStep, tables) || inOperand(operand.of, tables);
}

function inJoinStep({ join, where, guard }: JoinStep, tables: ReadonlySet<string>): boolean {
  return inJoin(join, tables) || inCondition(where, tables) || (guard !== null && inCondition(guard, tables));
}

function inJoin(join: RelationJoin, tables: ReadonlySet<string>): boolean {
  return tables.has(join.targetTable) || (join.kind === 'junction' && tables.has(join.junctionTable));
}
