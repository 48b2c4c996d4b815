import type { RoutePatterns } from '../../kernel/permission-rules.js';
import { isUuid } from '../../kernel/random.js';
import type { RemoteAccount } from './guard.types.js';

/** Reads what the issuer answers about a token; null for what is no such answer, or of another issuer. */
export function readIntrospection(answer: unknown, issuer: string): RemoteAccount | 'inactive' | null {
  if (!isObject(answer)) return null;
  const { active, iss, sub, sid, email, roles, permissions, token_type: type, claims } = answer;
  if (active === false) return 'inactive';
  if (active !== true || iss !== issuer || !isUuid(sub) || !isUuid(sid) || typeof email !== 'string') return null;
  if (!isTexts(roles) || !isPatterns(permissions) || (claims !== undefined && !isObject(claims))) return null;
  return Object.freeze({
    kind: 'account',
    userId: sub,
    sessionId: sid,
    email,
    roles,
    byKey: type === 'api_key',
    permissions,
    ...(claims === undefined ? {} : { claims: Object.freeze(claims) }),
  });
}

function isPatterns(value: unknown): value is RoutePatterns {
  return isObject(value) && isTexts(value['allow']) && isTexts(value['deny']);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
