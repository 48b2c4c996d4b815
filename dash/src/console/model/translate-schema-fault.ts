import { planWords as ENGLISH_PLANS } from '../../texts/en/plan-words.js';
import { schemaFaults as ENGLISH_FAULTS } from '../../texts/en/schema-faults.js';
import { schemaPhrases as ENGLISH_PHRASES } from '../../texts/en/schema-phrases.js';
import { fillPlaceholders, translateMessage, valuesIn } from '../data/translate-message.js';
import type { SchemaFault } from './schema-faults.js';

type Texts = Readonly<Record<string, string>>;

export interface FaultTexts {
  readonly schemaFaults: Texts;
  readonly schemaPhrases: Texts;
}

/** Placeholders whose values are translated, too. All other values are names. */
const TRANSLATED_PLACEHOLDERS = new Set(['actual', 'available', 'expected', 'other', 'reason', 'what']);

/** Translates a fault. The placeholder values are parsed from the English message. Unknown messages stay unchanged. */
export function translateSchemaFault<T extends Pick<SchemaFault, 'code' | 'message'>>(fault: T, texts: FaultTexts): T {
  const { schemaFaults, schemaPhrases } = texts;
  const { code, message } = fault;
  if (!Object.hasOwn(ENGLISH_FAULTS, code)) return fault;
  const values = valuesIn(message, ENGLISH_FAULTS[code as keyof typeof ENGLISH_FAULTS]);
  const text = schemaFaults[code];
  if (values === null || text === undefined) return fault;
  const translated = Object.entries(values).map(([name, value]) => [
    name,
    TRANSLATED_PLACEHOLDERS.has(name) ? translateMessage(value, ENGLISH_PHRASES, schemaPhrases) : value,
  ]);
  return { ...fault, message: fillPlaceholders(text, Object.fromEntries(translated) as Record<string, string>) };
}

/** Translates a step of a migration plan, or a description of conflicting rows. Unknown messages stay unchanged. */
export function translateStep(message: string, { planWords }: { readonly planWords: Texts }): string {
  return translateMessage(message, ENGLISH_PLANS, planWords);
}

export function refusalMessages({
  refused,
}: {
  readonly refused: Texts;
}): Readonly<Record<string, { readonly text: string }>> {
  return Object.fromEntries(Object.entries(refused).map(([code, text]) => [code, { text }]));
}
