import { PageQuestion } from './question.js';

/** Asks the user for a fresh proof of the account. Returns whether the user provided it. */
export const freshProof = new PageQuestion(false);

/** Asks the user for a fresh proof, once for all concurrent requests. */
export const requestProof = (): Promise<boolean> => freshProof.ask();
