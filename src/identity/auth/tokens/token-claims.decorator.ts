import { DefinitionError } from '../../../kernel/definition-error.js';
import { MethodMark } from '../../../kernel/marked-methods.js';
import type { OwnClaims } from '../../../kernel/principal.types.js';

/** Whose token is made. */
export interface TokenClaimContext {
  readonly userId: string;
  readonly sessionId: string;
}

/** No registered claim (RFC 7519 §4.1, the IANA registry) and none of the service's begins so. */
export const OWN_CLAIM = /^x_[a-z0-9_]{1,40}$/;

/** Methods that answer a claim of the access token. */
export const TOKEN_CLAIMS = new MethodMark<{ readonly claim: string; readonly order: number }>(
  'answers a claim of the access token',
);

/**
 * Puts what this method of a provider answers into each access token, at the sign-in and at each refresh, for
 * `principal.claims`. `undefined` leaves the claim out.
 *
 * @param claim `x_` and small letters, digits and underscores; declared in {@link OwnClaims}.
 * @throws DefinitionError for another name.
 */
export function TokenClaim<Name extends keyof OwnClaims>(
  claim: Name,
): <T extends (context: TokenClaimContext) => OwnClaims[Name] | undefined | Promise<OwnClaims[Name] | undefined>>(
  target: object,
  key: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void {
  const name = String(claim);
  if (!OWN_CLAIM.test(name))
    throw new DefinitionError(
      `A claim of the access token cannot be called ${JSON.stringify(name)}: write x_ and at most 40 small letters, digits and underscores.`,
    );
  return (target, key, method) => TOKEN_CLAIMS.add(target, key, method, { claim: name, order: 0 });
}
