import { ApiError } from '../api/api-error.js';
import { refreshTokens } from '../api/auth-api.js';
import type { Answer } from '../api/request.js';
import type { TokenSet } from '../api/openapi.js';
import { setSessionState } from './session-state.js';

/**
 * The tokens of this tab. They live in this module's memory: no storage, no cookie, no address.
 * With a refresh token they are renewed before the access token ends, by one request at a time.
 */
interface Tokens {
  access: string;
  refresh: string | null;
  /** When the access token ends, on this machine's clock, in milliseconds since 1970. */
  endsAt: number;
  /** When to renew it. */
  renewAt: number;
}

const MOST_EARLY_MS = 60_000;
const RETRY_MS = 15_000;
const LEAST_TIMER_MS = 1000;
const MAX_TIMER_MS = 2 ** 31 - 1;

let tokens: Tokens | null = null;
let timer: number | undefined;
let renewal: Promise<void> | null = null;

/** Begins a session with what a sign-in answered. */
export function beginSession(answer: Answer<TokenSet>): void {
  keep(answer);
  setSessionState({ status: 'signed-in' });
}

/** Forgets the tokens. */
export function endSession(why: 'expired' | 'left'): void {
  tokens = null;
  window.clearTimeout(timer);
  setSessionState({ status: 'signed-out', why });
}

/** A usable access token, renewed first where it is about to end. Throws `token_missing` when nobody is signed in. */
export async function accessToken(): Promise<string> {
  if (tokens?.refresh && Date.now() >= tokens.renewAt) await renew().catch(unlessEnded);
  if (tokens && !tokens.refresh && Date.now() >= tokens.endsAt) endSession('expired');
  if (!tokens) throw new ApiError({ status: 401, code: 'token_missing', message: '' });
  return tokens.access;
}

/**
 * After the service refused `refused`: a newer access token where there is or can be one, else null, and then the
 * session is over here too.
 */
export async function replaceToken(refused: string): Promise<string | null> {
  if (tokens?.access === refused) {
    if (tokens.refresh) await renew();
    else endSession('expired');
  }
  return tokens?.access ?? null;
}

function keep({ body, serverTime }: Answer<TokenSet>): void {
  const lifetime = Math.max(0, Date.parse(body.expires) - serverTime);
  if (typeof body.token !== 'string' || Number.isNaN(lifetime)) {
    throw new ApiError({ status: 200, code: 'unreadable', message: '' });
  }
  const now = Date.now();
  tokens = {
    access: body.token,
    refresh: body.refresh_token ?? null,
    endsAt: now + lifetime,
    renewAt: now + lifetime - Math.min(MOST_EARLY_MS, lifetime / 5),
  };
  wakeAt(tokens.refresh ? tokens.renewAt : tokens.endsAt);
}

function wakeAt(time: number): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(wake, Math.min(Math.max(LEAST_TIMER_MS, time - Date.now()), MAX_TIMER_MS));
}

function wake(): void {
  if (!tokens) return;
  if (Date.now() >= tokens.endsAt && !tokens.refresh) endSession('expired');
  else if (tokens.refresh && Date.now() >= tokens.renewAt) renew().catch(() => undefined);
  else wakeAt(tokens.refresh ? tokens.renewAt : tokens.endsAt);
}

/** One refresh in flight: whoever asks meanwhile waits for the same one. */
function renew(): Promise<void> {
  renewal ??= renewNow().finally(() => {
    renewal = null;
  });
  return renewal;
}

async function renewNow(): Promise<void> {
  const before = tokens;
  if (!before?.refresh) return;
  try {
    const answer = await refreshTokens(before.refresh);
    if (tokens === before) keep(answer);
  } catch (error) {
    if (tokens !== before) return;
    const refused = error instanceof ApiError && (error.status === 401 || error.status === 403);
    if (refused) return endSession('expired');
    wakeAt(Date.now() + RETRY_MS);
    throw error;
  }
}

/** A refresh that failed on the way is tried again later; meanwhile the present token is good until it ends. */
function unlessEnded(error: unknown): void {
  if (tokens && Date.now() >= tokens.endsAt) throw error;
}
