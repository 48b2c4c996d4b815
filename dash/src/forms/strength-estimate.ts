import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Strength } from './strength-rating.js';

/** Estimates the strength of a password. `known` are texts about its owner that an attacker may know. */
export type Estimate = (password: string, personalTexts: readonly string[]) => Strength;

/** Longer passwords are strong enough by their beginning, and the effort is quadratic in the length. */
const MAX_ESTIMATED_LENGTH = 40;
/** Passwords that the service rejects. */
const COMMON = new Set(dictionary['passwords-common'].map(String));
const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Uses zxcvbn (Wheeler, USENIX Security 2016). */
export const estimateStrength: Estimate = (password, personalTexts) => {
  if (COMMON.has(password.toLowerCase())) return 'common';
  const texts = personalTexts.flatMap((text) => [text, text.replace(/@.*/, ''), ...text.split(/[^\p{L}\p{N}]+/u)]);
  return zxcvbn.check(password.slice(0, MAX_ESTIMATED_LENGTH), texts.filter(Boolean)).score;
};
