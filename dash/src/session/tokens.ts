import { ApiError } from '../api/api-error.js';
import { resumeSession } from '../api/auth-api.js';
import type { Answer } from '../api/request.js';
import type { BrowserToken } from '../api/openapi.js';
import { getSessionState, type SessionEnd, setSessionState } from './session-state.js';
import { runExclusively, onTabEvent, notifyTabs } from './tabs.js';

/**
 * The access token of this tab. It is kept only in memory, never in storage or a URL. A cookie that scripts cannot read keeps the session.
 * It renews the token before it expires, one request at a time.
 */
interface Token {
  access: string;
  /** Expiration by the local clock, in milliseconds since 1970. */
  endsAt: number;
  /** Time of the renewal. */
  renewAt: number;
}

const MAX_EARLY_MS = 60_000;
const RETRY_MS = 15_000;
const MIN_TIMER_MS = 1000;
const MAX_TIMER_MS = 2 ** 31 - 1;

let token: Token | null = null;
let timer: number | undefined;
let renewal: Promise<void> | null = null;

export async function enter(send: () => Promise<Answer<BrowserToken>>): Promise<void> {
  await runExclusively(async () => storeToken(await send()));
  notifyTabs('entered');
}

/** Discards the token after a sign-out or the deletion of the account, in all tabs. */
export function clearSession(why: 'left' | 'deleted'): void {
  clearToken(why);
  notifyTabs('left');
}

/** Returns whether a user is signed in. Asks the service if the state is unknown; it stays unknown without a response. */
export async function isSignedIn(): Promise<boolean> {
  if (getSessionState().status === 'unknown') await resume().catch(() => undefined);
  return getSessionState().status === 'signed-in';
}

/** Returns a valid access token, renewed if it is about to expire. Throws `token_missing` if no user is signed in. */
export async function accessToken(): Promise<string> {
  const { status } = getSessionState();
  if (status !== 'signed-out' && (!token || Date.now() >= token.renewAt)) await resume().catch(unlessEnded);
  if (!token) throw new ApiError({ status: 401, code: 'token_missing', message: '' });
  return token.access;
}

/** Returns a new access token after the service rejected `refused`; null if there is none. */
export async function replaceToken(refused: string): Promise<string | null> {
  if (token?.access === refused) await resume();
  return token?.access === refused ? null : (token?.access ?? null);
}

function clearToken(why: SessionEnd | null): void {
  token = null;
  window.clearTimeout(timer);
  setSessionState({ status: 'signed-out', why });
}

function storeToken({ body, serverTime }: Answer<BrowserToken>): void {
  const lifetime = Math.max(0, Date.parse(body.expires) - serverTime);
  const account = subjectOf(body.token);
  if (account === null || Number.isNaN(lifetime)) throw new ApiError({ status: 200, code: 'unreadable', message: '' });
  const endsAt = Date.now() + lifetime;
  // The same token again means that the service does not renew tokens early.
  const early = token?.access === body.token ? 0 : Math.min(MAX_EARLY_MS, lifetime / 5);
  token = { access: body.token, endsAt, renewAt: endsAt - early };
  wakeAt(token.renewAt);
  const state = getSessionState();
  if (state.status !== 'signed-in' || state.account !== account) setSessionState({ status: 'signed-in', account });
}

function wakeAt(time: number): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(wake, Math.min(Math.max(MIN_TIMER_MS, time - Date.now()), MAX_TIMER_MS));
}

function wake(): void {
  if (!token) return;
  if (Date.now() >= token.renewAt) resume().catch(() => undefined);
  else wakeAt(token.renewAt);
}

/** Resumes the session. Concurrent callers share one request. */
function resume(): Promise<void> {
  renewal ??= runExclusively(resumeNow).finally(() => {
    renewal = null;
  });
  return renewal;
}

async function resumeNow(): Promise<void> {
  const before = token;
  try {
    const answer = await resumeSession();
    if (token === before) storeToken(answer);
  } catch (error) {
    if (token !== before) return;
    const refused = error instanceof ApiError && (error.status === 401 || error.status === 403);
    if (refused) return clearRefusedToken();
    if (token) wakeAt(Date.now() + RETRY_MS);
    throw error;
  }
}

/** Ends a rejected session. Gives no reason if no user was signed in. */
function clearRefusedToken(): void {
  const { status } = getSessionState();
  if (status !== 'signed-out') clearToken(status === 'signed-in' ? 'expired' : null);
}

/** Ignores a failed renewal while the current token is valid. It is retried later. */
function unlessEnded(error: unknown): void {
  if (!token || Date.now() >= token.endsAt) throw error;
}

/** Returns the subject of a token (RFC 7519 §4.1.2). Only the service verifies the token. */
function subjectOf(jwt: string): string | null {
  try {
    const payload = (jwt.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const { sub } = JSON.parse(atob(payload)) as { sub?: unknown };
    return typeof sub === 'string' ? sub : null;
  } catch {
    return null;
  }
}

/** Takes over the session of another tab, possibly of another user. */
async function follow(): Promise<void> {
  token = null;
  // A pending renewal belongs to the previous session.
  await renewal?.catch(() => undefined);
  await resume().catch(() => undefined);
}

onTabEvent((what) => {
  if (what === 'left') clearToken('left');
  else if (what === 'entered') void follow();
});

/** A page from the back/forward cache has missed the messages of other tabs. */
window.addEventListener(
  'pageshow',
  ({ persisted }) => persisted && getSessionState().status !== 'unknown' && void follow(),
);
