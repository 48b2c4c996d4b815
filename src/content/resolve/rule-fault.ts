import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';
import { compileRule } from './compile-rule.js';
import { RuleRefused } from './rule-terms.js';
import { translateRule } from './translate-rule.js';

/** Why a rule cannot be used, and where in its text. */
export interface RuleFault {
  readonly message: string;
  readonly range: RuleRefused['range'];
}

/**
 * What is wrong with the value of a permission, or null. A rule must compile and translate for the schema that the
 * resource names; where it names none (`content.*`), or one that is not there yet, each schema judges it for itself.
 */
export function ruleFault(snapshot: SchemaSnapshot, resource: string, value: string): RuleFault | null {
  if (value === 'allow' || value === 'deny') return null;
  const [area, name = ''] = resource.split('.');
  const schema = snapshot.schemas[name];
  if (area !== 'content' || schema === undefined) return null;
  const auth = { id: '00000000-0000-7000-8000-000000000000', email: '', username: '', roles: [] };
  try {
    translateRule(compileRule(schema, value), { snapshot, schema, auth, now: new Date(0) });
    return null;
  } catch (error) {
    if (error instanceof RuleRefused) return { message: error.message, range: error.range };
    throw error;
  }
}
