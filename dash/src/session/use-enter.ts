import { useNavigate } from '@tanstack/react-router';
import type { Answer } from '../api/request.js';
import type { TokenSet } from '../api/openapi.js';
import { beginSession } from './tokens.js';

/** What to do with the answer of a sign-in: keep the tokens and show the account. */
export function useEnter(): (answer: Answer<TokenSet>) => void {
  const navigate = useNavigate();
  return (answer) => {
    beginSession(answer);
    void navigate({ to: '/dash/account', replace: true });
  };
}
