import { planWords as PLANS } from '../../texts/en/plan-words.js';
import { schemaFaults as SAID } from '../../texts/en/schema-faults.js';
import { schemaPhrases as PHRASES } from '../../texts/en/schema-phrases.js';
import { filled, reworded, valuesIn } from '../data/reworded.js';
import type { SchemaFault } from './schema-faults.js';

type Texts = Readonly<Record<string, string>>;

export interface FaultWords {
  readonly schemaFaults: Texts;
  readonly schemaPhrases: Texts;
}

/** Placeholders whose values are translated, too. All other values are names. */
const WORDS = new Set(['actual', 'available', 'expected', 'other', 'reason', 'what']);

/** Translates a fault. The placeholder values are parsed from the English message. Unknown messages stay unchanged. */
export function inWords<T extends Pick<SchemaFault, 'code' | 'message'>>(fault: T, words: FaultWords): T {
  const { schemaFaults, schemaPhrases } = words;
  const { code, message } = fault;
  if (!Object.hasOwn(SAID, code)) return fault;
  const values = valuesIn(message, SAID[code as keyof typeof SAID]);
  const sentence = schemaFaults[code];
  if (values === null || sentence === undefined) return fault;
  const translated = Object.entries(values).map(([name, value]) => [
    name,
    WORDS.has(name) ? reworded(value, PHRASES, schemaPhrases) : value,
  ]);
  return { ...fault, message: filled(sentence, Object.fromEntries(translated) as Record<string, string>) };
}

/** Translates a step of a migration plan, or a description of conflicting rows. Unknown messages stay unchanged. */
export function stepInWords(said: string, { planWords }: { readonly planWords: Texts }): string {
  return reworded(said, PLANS, planWords);
}

export function refusalWording({
  refused,
}: {
  readonly refused: Texts;
}): Readonly<Record<string, { readonly text: string }>> {
  return Object.fromEntries(Object.entries(refused).map(([code, text]) => [code, { text }]));
}
