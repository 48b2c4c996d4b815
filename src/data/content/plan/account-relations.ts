import type { ErasureAction } from '../../../kernel/schema-definition.types.js';
import type { DirectJoin, LinkedRelationField, LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';

/** A relation by which records refer to accounts, seen from the account. */
export interface AccountRelation {
  /** The schema whose records refer. */
  readonly target: LinkedSchema;
  /** The field of the account that leads to them. */
  readonly field: LinkedRelationField;
  readonly join: RelationJoin;
  /** Action when the account is erased: as the relation says, or as it must be. */
  readonly action: ErasureAction;
}

/** A relation whose records hold the key of an account themselves. */
export type OwnRelation = AccountRelation & { readonly join: DirectJoin };

/** Returns whether the records of a relation hold the key of an account themselves. */
export function isOwnRelation<R extends AccountRelation>(relation: R): relation is R & OwnRelation {
  return relation.join.kind === 'direct';
}

/** The accounts among the schemas, with what refers to them. */
export interface AccountRelations {
  readonly accounts: LinkedSchema;
  /** By name of the schema, then of the field. */
  readonly relations: readonly AccountRelation[];
}

/** Found once for each snapshot. */
const KNOWN = new WeakMap<SchemaSnapshot, AccountRelations>();

/** Returns the relations by which records refer to accounts; those of the service itself end with the account anyway. */
export function accountRelations(snapshot: SchemaSnapshot): AccountRelations {
  const known = KNOWN.get(snapshot) ?? findRelations(snapshot);
  KNOWN.set(snapshot, known);
  return known;
}

function findRelations(snapshot: SchemaSnapshot): AccountRelations {
  const name = [...snapshot.system.values()].find(({ holdsAccounts }) => holdsAccounts)?.definition.name;
  const accounts = snapshot.schemas[name ?? ''];
  if (accounts === undefined) throw new TypeError('There is no schema of accounts.');
  const relations = Object.values(accounts.fields).flatMap((field) => {
    const target = field.kind === 'relation' ? snapshot.schemas[field.target] : undefined;
    if (field.kind !== 'relation' || target === undefined || field.origin === 'system') return [];
    const { join } = field;
    // A key that stands in the account goes with it.
    if (join.kind === 'direct' && join.holder === 'own') return [];
    return [{ target, field, join, action: actionOf(field, target) }];
  });
  const place = ({ target, field }: AccountRelation): string => `${target.name}.${field.backField}`;
  return { accounts, relations: relations.toSorted((one, other) => (place(one) < place(other) ? -1 : 1)) };
}

/** Returns the action of an erasure. A reference that cannot be empty leads to a nameless account (CONTRACT §9). */
function actionOf(
  { join, onErase = 'anonymise', backField }: LinkedRelationField,
  target: LinkedSchema,
): ErasureAction {
  const isRequired = join.kind === 'direct' && target.fields[backField]?.optional === false;
  return onErase === 'anonymise' && isRequired ? 'keep' : onErase;
}
