import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.js';
import type { Answer } from '../api/request.js';
import type { BrowserToken } from '../api/openapi.js';
import { setWaitingSignIn } from './due-factor.js';
import { enter } from './tokens.js';

interface Entering {
  /**
   * Signs in with the response of a request. If a second factor is missing, the page asks for it.
   *
   * @param signIn one request without user interaction, because other tabs wait for it.
   * @param verifier of a provider sign-in.
   * @returns whether the user is signed in.
   */
  send: (signIn: () => Promise<Answer<BrowserToken>>, verifier?: string | null) => Promise<boolean>;
  done: (isIn: boolean) => void;
}

export function useEnter(): Entering {
  const navigate = useNavigate();
  return {
    send: enterOrWait,
    done: (isIn) => void (isIn && navigate({ to: '/dash', replace: true })),
  };
}

async function enterOrWait(
  signIn: () => Promise<Answer<BrowserToken>>,
  verifier: string | null = null,
): Promise<boolean> {
  try {
    await enter(signIn);
  } catch (error) {
    if (!(error instanceof ApiError) || error.factor === null) throw error;
    setWaitingSignIn({ ...error.factor, verifier });
    return false;
  }
  setWaitingSignIn(null);
  return true;
}
