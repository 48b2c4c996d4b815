import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Strength } from './strength-words.js';

/** Estimates how hard a password is to guess for somebody who knows these texts about its owner. */
export type Estimate = (password: string, known: readonly string[]) => Strength;

/** Longer ones are strong enough by their beginning, and the work grows with the square of the length. */
const MAX_JUDGED = 40;
/** The list by which the service refuses. */
const COMMON = new Set(dictionary['passwords-common'].map(String));
const guesser = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Estimates as zxcvbn does (Wheeler, USENIX Security 2016). */
export const estimateStrength: Estimate = (password, known) => {
  if (COMMON.has(password.toLowerCase())) return 'common';
  const texts = known.flatMap((text) => [text, text.replace(/@.*/, ''), ...text.split(/[^\p{L}\p{N}]+/u)]);
  return guesser.check(password.slice(0, MAX_JUDGED), texts.filter(Boolean)).score;
};
