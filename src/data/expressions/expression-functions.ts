import { createHash } from 'node:crypto';

import type { Environment } from '@marcbachmann/cel-js';

import { newId } from '../../kernel/random.js';

/** One function of ours; all are synchronous and take time in proportion to their input at most. */
interface ExpressionFunction {
  readonly signature: string;
  readonly description: string;
  readonly handler: (...args: string[]) => string;
}

/** The functions that expressions have beside those of CEL. */
const EXPRESSION_FUNCTIONS: readonly ExpressionFunction[] = [
  { signature: 'lower(string): string', description: 'in lower case', handler: (text = '') => text.toLowerCase() },
  { signature: 'upper(string): string', description: 'in upper case', handler: (text = '') => text.toUpperCase() },
  { signature: 'trim(string): string', description: 'without spaces at its ends', handler: (text = '') => text.trim() },
  {
    signature: 'slug(string): string',
    description: 'as a part of an address: "Été à Rome" is "ete-a-rome"',
    handler: slug,
  },
  { signature: 'hash(string): string', description: 'SHA-256 in hexadecimal', handler: sha256 },
  { signature: 'uuid(): string', description: 'a new UUID, version 7', handler: () => newId() },
];

/** Registers the functions of ours. */
export function registerFunctions(environment: Environment): Environment {
  for (const { signature, description, handler } of EXPRESSION_FUNCTIONS) {
    environment.registerFunction({ signature, handler, description, async: false });
  }
  return environment;
}

function slug(text = ''): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  const words = plain.split(/[^\p{Letter}\p{Number}]+/u).filter((word) => word !== '');
  return words.join('-');
}

function sha256(text = ''): string {
  return createHash('sha256').update(text).digest('hex');
}
