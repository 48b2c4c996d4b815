import { planWords as PLANS } from '../../texts/en/plan-words.js';
import { schemaFaults as SAID } from '../../texts/en/schema-faults.js';
import { schemaPhrases as PHRASES } from '../../texts/en/schema-phrases.js';
import { filled, reworded, valuesIn } from '../data/reworded.js';
import type { SchemaFault } from './schema-faults.js';

type Texts = Readonly<Record<string, string>>;

/** The sentences and phrases of a language, by the same keys as the English ones. */
export interface FaultWords {
  readonly schemaFaults: Texts;
  readonly schemaPhrases: Texts;
}

/** Values that are words themselves. All others are names, and stay as they are. */
const WORDS = new Set(['actual', 'available', 'expected', 'other', 'reason', 'what']);

/**
 * Returns a fault in the words of a language, with the values that the service told: they stand in its message alone, and are
 * read out of it. What is said in words that are not known stays as the service said it.
 */
export function inWords<T extends Pick<SchemaFault, 'code' | 'message'>>(fault: T, words: FaultWords): T {
  const { schemaFaults, schemaPhrases } = words;
  const { code, message } = fault;
  if (!Object.hasOwn(SAID, code)) return fault;
  const values = valuesIn(message, SAID[code as keyof typeof SAID]);
  const sentence = schemaFaults[code];
  if (values === null || sentence === undefined) return fault;
  const told = Object.entries(values).map(([name, value]) => [
    name,
    WORDS.has(name) ? reworded(value, PHRASES, schemaPhrases) : value,
  ]);
  return { ...fault, message: filled(sentence, Object.fromEntries(told) as Record<string, string>) };
}

/** Returns what is said of a step of a plan, or of rows in its way, in the words of a language. What is not known stays as it is. */
export function stepInWords(said: string, { planWords }: { readonly planWords: Texts }): string {
  return reworded(said, PLANS, planWords);
}

/** Returns what is said where a change of schemas is refused, in the words of a language. */
export function refusalWording({
  refused,
}: {
  readonly refused: Texts;
}): Readonly<Record<string, { readonly text: string }>> {
  return Object.fromEntries(Object.entries(refused).map(([code, text]) => [code, { text }]));
}
