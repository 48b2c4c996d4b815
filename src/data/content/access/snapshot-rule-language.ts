import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RuleLanguage, type RuleSubject } from '../../../identity/users/roles/rule-language.port.js';
import type { CompiledExpression } from '../../expressions/expression.types.js';
import { SchemaSnapshots } from '../../schema/schema-snapshots.service.js';
import { reusedAt } from '../../schema/schema.public.js';
import { compileRouteRule, orRefusal, ruleFault } from '../resolve/rules/compile-rule.js';
import { RuleRefused } from '../resolve/rules/rule-terms.js';

/** Number of compiled rules in the cache. @internal */
const MAX_RULES = 1_000;

@Injectable()
export class SnapshotRuleLanguage extends RuleLanguage {
  private readonly compiled = new LRUCache<string, CompiledExpression | RuleRefused>({ max: MAX_RULES });

  constructor(private readonly snapshots: SchemaSnapshots) {
    super();
  }

  override get version(): number {
    return this.snapshots.current.version;
  }

  override fault(resource: string, rule: string, schemaVersion?: number): string | null {
    return ruleFault(this.snapshots.current, resource, rule, schemaVersion);
  }

  override isReused(schemaVersion: number, schema: string, field?: string): boolean {
    return reusedAt(this.snapshots.current.history, schema, field) > schemaVersion;
  }

  /** Evaluates the rule in CEL, like the rules of records. A rule that does not compile or fails denies access. */
  override isSatisfied(rule: string, subject: RuleSubject, now: Date): boolean {
    const cached = this.compiled.get(rule) ?? orRefusal(() => compileRouteRule(rule));
    this.compiled.set(rule, cached);
    if (cached instanceof RuleRefused) return false;
    try {
      return cached.evaluate({ auth: { ...subject, username: '' }, now }) === true;
    } catch {
      return false;
    }
  }
}
