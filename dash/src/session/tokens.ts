import { ApiError } from '../api/api-error.js';
import { resumeSession } from '../api/auth-api.js';
import type { Answer } from '../api/request.js';
import type { BrowserToken } from '../api/openapi.js';
import { getSessionState, type SessionEnd, setSessionState } from './session-state.js';
import { inTurn, onTold, tellTabs } from './tabs.js';

/**
 * The access token of this tab. It lives in this module's memory: no storage, no address. What keeps the session going is a
 * cookie that no script reads; by it the token is renewed before it ends, by one request at a time.
 */
interface Token {
  access: string;
  /** When it ends, on this machine's clock, in milliseconds since 1970. */
  endsAt: number;
  /** When to renew it. */
  renewAt: number;
}

const MOST_EARLY_MS = 60_000;
const RETRY_MS = 15_000;
const LEAST_TIMER_MS = 1000;
const MAX_TIMER_MS = 2 ** 31 - 1;

let token: Token | null = null;
let timer: number | undefined;
let renewal: Promise<void> | null = null;

/** Signs in by what `send` asks the service, and tells the other tabs. */
export async function enter(send: () => Promise<Answer<BrowserToken>>): Promise<void> {
  await inTurn(async () => keep(await send()));
  tellTabs('entered');
}

/** Forgets the token: the person signed out, or deleted the account, in every tab. */
export function leave(why: 'left' | 'deleted'): void {
  forget(why);
  tellTabs('left');
}

/** Returns whether somebody is signed in, asking the service if nobody has. Without an answer the state stays unknown. */
export async function isSignedIn(): Promise<boolean> {
  if (getSessionState().status === 'unknown') await resume().catch(() => undefined);
  return getSessionState().status === 'signed-in';
}

/** Returns a usable access token, renewed first if it is about to end. Throws `token_missing` when nobody is signed in. */
export async function accessToken(): Promise<string> {
  const { status } = getSessionState();
  if (status !== 'signed-out' && (!token || Date.now() >= token.renewAt)) await resume().catch(unlessEnded);
  if (!token) throw new ApiError({ status: 401, code: 'token_missing', message: '' });
  return token.access;
}

/** Returns another access token after the service refused `refused`, if there is or can be one, else null. */
export async function replaceToken(refused: string): Promise<string | null> {
  if (token?.access === refused) await resume();
  return token?.access === refused ? null : (token?.access ?? null);
}

function forget(why: SessionEnd | null): void {
  token = null;
  window.clearTimeout(timer);
  setSessionState({ status: 'signed-out', why });
}

function keep({ body, serverTime }: Answer<BrowserToken>): void {
  const lifetime = Math.max(0, Date.parse(body.expires) - serverTime);
  const account = subjectOf(body.token);
  if (account === null || Number.isNaN(lifetime)) throw new ApiError({ status: 200, code: 'unreadable', message: '' });
  const endsAt = Date.now() + lifetime;
  // The same once more: this service renews none.
  const early = token?.access === body.token ? 0 : Math.min(MOST_EARLY_MS, lifetime / 5);
  token = { access: body.token, endsAt, renewAt: endsAt - early };
  wakeAt(token.renewAt);
  const state = getSessionState();
  if (state.status !== 'signed-in' || state.account !== account) setSessionState({ status: 'signed-in', account });
}

function wakeAt(time: number): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(wake, Math.min(Math.max(LEAST_TIMER_MS, time - Date.now()), MAX_TIMER_MS));
}

function wake(): void {
  if (!token) return;
  if (Date.now() >= token.renewAt) resume().catch(() => undefined);
  else wakeAt(token.renewAt);
}

/** Resumes the session by one request in flight: whoever asks meanwhile waits for the same one. */
function resume(): Promise<void> {
  renewal ??= inTurn(resumeNow).finally(() => {
    renewal = null;
  });
  return renewal;
}

async function resumeNow(): Promise<void> {
  const before = token;
  try {
    const answer = await resumeSession();
    if (token === before) keep(answer);
  } catch (error) {
    if (token !== before) return;
    const refused = error instanceof ApiError && (error.status === 401 || error.status === 403);
    if (refused) return forgetRefused();
    if (token) wakeAt(Date.now() + RETRY_MS);
    throw error;
  }
}

/** Forgets a refused session; who was not signed in before is told nothing. */
function forgetRefused(): void {
  const { status } = getSessionState();
  if (status !== 'signed-out') forget(status === 'signed-in' ? 'expired' : null);
}

/**
 * Keeps the session unless it has ended: a renewal that failed on the way is tried again later; meanwhile the present token is good
 * until it ends.
 */
function unlessEnded(error: unknown): void {
  if (!token || Date.now() >= token.endsAt) throw error;
}

/** Returns the subject of a token (RFC 7519 §4.1.2); the service alone believes it. */
function subjectOf(jwt: string): string | null {
  try {
    const payload = (jwt.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const { sub } = JSON.parse(atob(payload)) as { sub?: unknown };
    return typeof sub === 'string' ? sub : null;
  } catch {
    return null;
  }
}

/** Follows another tab that signed in: perhaps as somebody else. */
async function follow(): Promise<void> {
  token = null;
  // What was asked before is about the session before.
  await renewal?.catch(() => undefined);
  await resume().catch(() => undefined);
}

onTold((what) => {
  if (what === 'left') forget('left');
  else if (what === 'entered') void follow();
});

/** A page that comes back out of the browser's memory has not heard what was told meanwhile. */
window.addEventListener(
  'pageshow',
  ({ persisted }) => persisted && getSessionState().status !== 'unknown' && void follow(),
);
