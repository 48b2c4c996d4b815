import type { SchemaSnapshot } from '../../../schema/snapshot/schema-snapshot.types.js';
import { compileDraft, compileRouteRule, compileRule, conditionOf } from './compile-rule.js';
import { RuleRefused } from './rule-terms.js';
import { translateRule } from './translate-rule.js';

/**
 * Returns the error of a rule with its position, or null. A rule must compile and translate for the schema of its resource. For several
 * schemas (`content.*`) or an unknown schema it must only compile, and each schema checks it later. For any other resource there is no
 * record, so a rule may use only `auth` and `now`.
 *
 * @param snapshot null if the schemas are not known.
 * @param schemaVersion version at which the rule was saved; the current one by default.
 */
export function ruleFault(
  snapshot: SchemaSnapshot | null,
  resource: string,
  rule: string,
  schemaVersion = snapshot?.version ?? 0,
): string | null {
  const refusal = refusalOf(() => checkRule({ snapshot, schemaVersion, compile: compileRule }, resource, rule));
  return refusal && `${refusal.message} (characters ${refusal.range.start} to ${refusal.range.end})`;
}

/** Returns the error of an unsaved rule, or null. Uses the schemas in force and does not cache the rule. */
export function draftRefusal(snapshot: SchemaSnapshot, resource: string, rule: string): RuleRefused | null {
  const judging = { snapshot, schemaVersion: snapshot.version, compile: compileDraft };
  return refusalOf(() => checkRule(judging, resource, rule));
}

function refusalOf(check: () => void): RuleRefused | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof RuleRefused)) throw error;
    return error;
  }
}

interface RuleCheck {
  readonly snapshot: SchemaSnapshot | null;
  readonly schemaVersion: number;
  readonly compile: typeof compileRule;
}

function checkRule({ snapshot, schemaVersion, compile }: RuleCheck, resource: string, rule: string): void {
  const [area, name = ''] = resource.split('.');
  if (area !== 'content' && area !== '*') {
    compileRouteRule(rule);
    return;
  }
  const schema = snapshot?.schemas[name];
  if (snapshot === null || schema === undefined) {
    conditionOf(rule, { record: null });
    return;
  }
  const auth = { id: '00000000-0000-7000-8000-000000000000', email: '', username: '', roles: [] };
  translateRule(compile(schema, rule), { snapshot, schema, auth, now: new Date(0), schemaVersion });
}
