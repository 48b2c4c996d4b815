import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.js';
import type { Answer } from '../api/request.js';
import type { BrowserToken } from '../api/openapi.js';
import { setWaitingSignIn } from './due-factor.js';
import { enter } from './tokens.js';

interface Entering {
  /**
   * Signs in by what a request answers; where a second factor is missing, the page asks for it from then on.
   *
   * @param ask one request: other tabs wait until it is answered, so no person is asked anything in it.
   * @param verifier of a sign-in that came back from a provider.
   * @returns whether somebody is signed in now.
   */
  send: (ask: () => Promise<Answer<BrowserToken>>, verifier?: string | null) => Promise<boolean>;
  /** Shows whoever is signed in where they begin. */
  done: (isIn: boolean) => void;
}

/** Returns how to sign in by what a request answers, and what comes then. */
export function useEnter(): Entering {
  const navigate = useNavigate();
  return {
    send: enterOrWait,
    done: (isIn) => void (isIn && navigate({ to: '/dash', replace: true })),
  };
}

async function enterOrWait(ask: () => Promise<Answer<BrowserToken>>, verifier: string | null = null): Promise<boolean> {
  try {
    await enter(ask);
  } catch (error) {
    if (!(error instanceof ApiError) || error.factor === null) throw error;
    setWaitingSignIn({ ...error.factor, verifier });
    return false;
  }
  setWaitingSignIn(null);
  return true;
}
