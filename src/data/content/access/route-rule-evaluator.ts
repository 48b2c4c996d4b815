import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RouteRules, type RuleSubject } from '../../../identity/auth/access/route-rules.port.js';
import type { CompiledExpression } from '../../expressions/expression.types.js';
import { compileRouteRule } from '../resolve/rules/compile-rule.js';
import { RuleRefused } from '../resolve/rules/rule-terms.js';

/** Number of compiled rules in the cache. @internal */
const MOST_RULES = 1_000;
const REFUSED = 'refused';

/** Evaluates route rules in CEL, like the rules of records. A rule that does not compile or fails denies access. */
@Injectable()
export class RouteRuleEvaluator extends RouteRules {
  private readonly compiled = new LRUCache<string, CompiledExpression | typeof REFUSED>({ max: MOST_RULES });

  override holds(rule: string, subject: RuleSubject, now: Date): boolean {
    const known = this.compiled.get(rule) ?? compile(rule);
    this.compiled.set(rule, known);
    if (known === REFUSED) return false;
    try {
      return known.evaluate({ auth: { ...subject, username: '' }, now }) === true;
    } catch {
      return false;
    }
  }
}

function compile(rule: string): CompiledExpression | typeof REFUSED {
  try {
    return compileRouteRule(rule);
  } catch (error) {
    if (error instanceof RuleRefused) return REFUSED;
    throw error;
  }
}
