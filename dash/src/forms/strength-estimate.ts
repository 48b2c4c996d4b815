import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Strength } from './strength-words.js';

/** Estimates the strength of a password. `known` are texts about its owner that an attacker may know. */
export type Estimate = (password: string, known: readonly string[]) => Strength;

/** Longer passwords are strong enough by their beginning, and the effort is quadratic in the length. */
const MAX_JUDGED = 40;
/** Passwords that the service rejects. */
const COMMON = new Set(dictionary['passwords-common'].map(String));
const guesser = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Uses zxcvbn (Wheeler, USENIX Security 2016). */
export const estimateStrength: Estimate = (password, known) => {
  if (COMMON.has(password.toLowerCase())) return 'common';
  const texts = known.flatMap((text) => [text, text.replace(/@.*/, ''), ...text.split(/[^\p{L}\p{N}]+/u)]);
  return guesser.check(password.slice(0, MAX_JUDGED), texts.filter(Boolean)).score;
};
