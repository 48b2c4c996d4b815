import { PageQuestion } from './question.js';

/** Asks the user for a fresh proof of the account. The answer is whether the user gave it. */
export const freshProof = new PageQuestion(false);

/** Asks the user for a fresh proof, once for everything that needs it at the same time. */
export const askForProof = (): Promise<boolean> => freshProof.ask();
