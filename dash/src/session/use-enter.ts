import { useNavigate } from '@tanstack/react-router';
import type { Answer } from '../api/request.js';
import type { BrowserToken } from '../api/openapi.js';
import { enter } from './tokens.js';

/** How to sign in by what a request answers, and show the account. */
export function useEnter(): {
  send: (ask: () => Promise<Answer<BrowserToken>>) => Promise<void>;
  done: () => void;
} {
  const navigate = useNavigate();
  return { send: enter, done: () => void navigate({ to: '/dash/account', replace: true }) };
}
