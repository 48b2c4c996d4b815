import { AppError } from '../../../kernel/errors/app-error.js';
import type { AuthorizationAnswer } from '../providers/provider.types.js';
import '../social.errors.js';

export interface CallbackParameters extends AuthorizationAnswer {
  readonly state: string;
}

/** Longer than the parameters of any provider. @internal */
const MAX_LENGTH = 8_192;
const NAMES = ['state', 'code', 'error', 'iss'] as const;

type Raw = Partial<Record<(typeof NAMES)[number], string>>;

/**
 * Reads the parameters of a callback from its query or form. Each must be a single string or absent.
 *
 * @throws AppError `state_invalid`.
 */
export function readCallback(body: unknown): CallbackParameters {
  const raw = pickTexts(body);
  if (raw === null || raw.state === undefined) throw new AppError('state_invalid');
  return { state: raw.state, code: raw.code, error: raw.error, issuer: raw.iss };
}

/** Returns the parameters of a posted callback as a query string; empty if they are not strings. */
export function callbackQuery(body: unknown): string {
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
