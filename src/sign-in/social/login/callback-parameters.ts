import { AppError } from '../../../kernel/errors/app-error.js';
import type { AuthorizationResponse } from '../providers/provider.types.js';
import '../social.errors.js';

export interface CallbackParameters extends AuthorizationResponse {
  readonly state: string;
}

/** Maximum length of a parameter. Codes and states of providers are shorter. @internal */
const MAX_LENGTH = 8_192;
const NAMES = ['state', 'code', 'error', 'iss'] as const;

type Raw = Partial<Record<(typeof NAMES)[number], string>>;

/**
 * Reads the parameters of a callback from its query or form. A repeated parameter or one that is not a string is an error.
 *
 * @throws AppError `state_invalid`.
 */
export function readCallbackParameters(body: unknown): CallbackParameters {
  const raw = pickTexts(body);
  if (raw === null || raw.state === undefined) throw new AppError('state_invalid');
  return { state: raw.state, code: raw.code, error: raw.error, issuer: raw.iss };
}

/** Returns the parameters of a form post as the query string of the GET callback; empty if they are invalid. */
export function toCallbackQuery(body: unknown): string {
  return new URLSearchParams(pickTexts(body) ?? {}).toString();
}

function pickTexts(body: unknown): Raw | null {
  if (typeof body !== 'object' || body === null) return null;
  const found = NAMES.flatMap((name) => {
    const value = (body as Record<string, unknown>)[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const isValid = found.every(([, value]) => typeof value === 'string' && value.length <= MAX_LENGTH);
  return isValid ? (Object.fromEntries(found) as Raw) : null;
}
