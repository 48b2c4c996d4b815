import { covers, type PrincipalPermissions } from '../../../identity/auth/auth.public.js';
import { expressionReads } from '../../expressions/expressions.public.js';
import type { LinkedRelationField, LinkedSchema } from '../../model/schema-model.types.js';
import { isInverseSide } from '../../model/field-uses.js';
import { compileRule } from './compile-rule.js';
import { resourceOf } from './content-access.js';
import { ALWAYS, type Condition, CONTENT_ACTIONS } from './resolved.types.js';
import { RuleRefused } from './rule-terms.js';
import { writeRule } from './write-access.js';
import type { LinkContext } from './write.types.js';

/** Found once for all who may do the same, until a permission or the schema changes. */
const READ = new WeakMap<PrincipalPermissions, WeakMap<LinkedSchema, ReadonlySet<string>>>();

/**
 * Of which records of a schema a link may be changed by writing another record: the rule of their own update, where the
 * link is a part of them. It is one where they hold it, and where a rule over them looks at it: otherwise whoever may write
 * the other side could move records to where the rule forbids. Of other records any.
 *
 * @param field the relation as it stands on the schema; undefined where it does not.
 */
export function linkRule(
  { permissions, access }: LinkContext,
  schema: LinkedSchema,
  field: LinkedRelationField | undefined,
): Condition {
  if (field === undefined || isInverseSide(schema, field)) return ALWAYS;
  const isPart = isHeld(field) || ruleReads(permissions, schema).has(field.name);
  return isPart ? writeRule(schema, 'update', [field.name], access) : ALWAYS;
}

/** The relation of the same pair as it stands on the other schema. */
export function backOf(field: LinkedRelationField, target: LinkedSchema): LinkedRelationField | undefined {
  const back = target.fields[field.backField];
  return back?.kind === 'relation' ? back : undefined;
}

/** Whether the records themselves hold the keys of those that they are linked to. */
function isHeld({ join }: LinkedRelationField): boolean {
  return join.kind === 'direct' && join.holder === 'own';
}

/** The fields that the rules over the records of a schema read, for any action. */
function ruleReads(permissions: PrincipalPermissions, schema: LinkedSchema): ReadonlySet<string> {
  const known = READ.get(permissions) ?? new WeakMap<LinkedSchema, ReadonlySet<string>>();
  READ.set(permissions, known);
  const reads = known.get(schema) ?? findReads(permissions, schema);
  known.set(schema, reads);
  return reads;
}

function findReads({ root, permissions }: PrincipalPermissions, schema: LinkedSchema): ReadonlySet<string> {
  if (root) return new Set();
  const resources = CONTENT_ACTIONS.map((action) => resourceOf(schema, action));
  const rules = permissions.filter(({ resource }) => resources.some((name) => covers(resource, name)));
  return new Set(rules.flatMap(({ value }) => readsOf(schema, value)));
}

/** A rule that cannot be used opens nothing, and so guards nothing. */
function readsOf(schema: LinkedSchema, value: string): readonly string[] {
  if (value === 'allow' || value === 'deny') return [];
  try {
    return expressionReads(compileRule(schema, value)).reads;
  } catch (error) {
    if (error instanceof RuleRefused || error instanceof RangeError) return [];
    throw error;
  }
}
