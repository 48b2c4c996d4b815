import { memoize } from '../../../kernel/memoize.js';
import type { ErasureAction } from '../../../kernel/schema-definition.types.js';
import type { DirectJoin, LinkedRelationField, LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';

/** A relation whose records refer to accounts, seen from the account schema. */
export interface AccountRelation {
  readonly target: LinkedSchema;
  readonly field: LinkedRelationField;
  readonly join: RelationJoin;
  /** Action when the account is erased. It may differ from the setting of the relation, see {@link actionOf}. */
  readonly action: ErasureAction;
}

/** An account relation that is stored as a foreign key of the referring record, not in a junction table. */
export type ForeignKeyRelation = AccountRelation & { readonly join: DirectJoin };

export function isForeignKeyRelation<R extends AccountRelation>(relation: R): relation is R & ForeignKeyRelation {
  return relation.join.kind === 'direct';
}

export interface AccountRelations {
  readonly accounts: LinkedSchema;
  readonly relations: readonly AccountRelation[];
}

/**
 * Returns the relations by which records refer to accounts. Relations of system tables are excluded: these rows are deleted with the
 * account.
 */
export const accountRelations = memoize((snapshot: SchemaSnapshot): AccountRelations => {
  const name = [...snapshot.system.values()].find(({ holdsAccounts }) => holdsAccounts)?.definition.name;
  const accounts = snapshot.schemas[name ?? ''];
  if (accounts === undefined) throw new TypeError('The account schema does not exist.');
  const relations = Object.values(accounts.fields).flatMap((field) => {
    const target = field.kind === 'relation' ? snapshot.schemas[field.target] : undefined;
    if (field.kind !== 'relation' || target === undefined || field.origin === 'system') return [];
    const { join } = field;
    // A foreign key of the account itself is deleted with it.
    if (join.kind === 'direct' && join.holder === 'own') return [];
    return [{ target, field, join, action: actionOf(field, target) }];
  });
  const location = ({ target, field }: AccountRelation): string => `${target.name}.${field.backField}`;
  return { accounts, relations: relations.toSorted((one, other) => (location(one) < location(other) ? -1 : 1)) };
});

/** `anonymise` becomes `keep` if the reference is required. It is then changed to a placeholder account. */
function actionOf(
  { join, onErase = 'anonymise', backField }: LinkedRelationField,
  target: LinkedSchema,
): ErasureAction {
  const isRequired = join.kind === 'direct' && target.fields[backField]?.optional === false;
  return onErase === 'anonymise' && isRequired ? 'keep' : onErase;
}
