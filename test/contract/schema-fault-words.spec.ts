import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { translateSchemaFault } from '../../dash/src/console/model/translate-schema-fault.js';
import { schemaFaults as german } from '../../dash/src/texts/de/schema-faults.js';
import { schemaPhrases as germanPhrases } from '../../dash/src/texts/de/schema-phrases.js';
import { schemaFaults as english } from '../../dash/src/texts/en/schema-faults.js';
import { schemaPhrases as englishPhrases } from '../../dash/src/texts/en/schema-phrases.js';
import { createFault, SCHEMA_FAULT_CODES, type SchemaFaultCode } from '../../src/data/schema/codes/schema-fault.js';

const GERMAN = { schemaFaults: german, schemaPhrases: germanPhrases };
const ENGLISH = { schemaFaults: english, schemaPhrases: englishPhrases };
const rows = Object.entries(SCHEMA_FAULT_CODES) as [SchemaFaultCode, { message: string }][];
const valuesOf = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();

/** Returns a fault with unmistakable values, which contain quotes and special characters of patterns. */
function sampleFault(code: SchemaFaultCode): { code: string; message: string; values: Record<string, string> } {
  const names = valuesOf(SCHEMA_FAULT_CODES[code].message);
  const values = Object.fromEntries(names.map((name) => [name, `<${name}> $& "(.*`]));
  return { ...createFault(code, { params: values }), values };
}

describe('schema error texts of the pages', () => {
  it('exist for every code, in English as the service returns them', () => {
    expect(english).toEqual(Object.fromEntries(rows.map(([code, { message }]) => [code, message])));
  });

  it.each(rows)('translate %s to German with every value, and keep it in English', (code, { message }) => {
    const sentence = (german as Record<string, string>)[code] ?? '';
    expect(valuesOf(sentence)).toEqual(valuesOf(message));
    expect(sentence).toMatch(/^[A-ZÄÖÜ„`{].*\.$/s);
    const { values, ...fault } = sampleFault(code);
    const expected = sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
    expect(translateSchemaFault(fault, GERMAN).message).toBe(expected);
    expect(translateSchemaFault(fault, ENGLISH)).toEqual(fault);
  });

  it('keep the values of the phrases', () => {
    for (const [key, text] of Object.entries(englishPhrases)) {
      expect([key, valuesOf(germanPhrases[key as keyof typeof germanPhrases])]).toEqual([key, valuesOf(text)]);
    }
  });

  it('contain no phrase that the service does not use', () => {
    const data = join(__dirname, '../../src/data');
    const sources = readdirSync(data, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .map((name) => readFileSync(join(data, name), 'utf8').replaceAll('\\`', '`'))
      .join('\n');
    const used = Object.values(englishPhrases).filter((text) =>
      text.split(/\{\w+\}/).every((part) => sources.includes(part)),
    );
    expect(used).toEqual(Object.values(englishPhrases));
  });
});

describe('a schema error in German', () => {
  const germanOf = (code: SchemaFaultCode, params: Record<string, string | number>): string =>
    translateSchemaFault(createFault(code, { params }), GERMAN).message;

  it('has its reason in German, too', () => {
    expect([
      germanOf('field.default.invalid', { reason: 'it must be from -5 to 5' }),
      germanOf('schema.property.invalid', { property: 'text', expected: 'text', actual: 'a number' }),
      germanOf('schema.limit.exceeded', { what: 'index columns', actual: 40, limit: 32 }),
      germanOf('relation.junction_table.taken', { name: 'a_b', other: 'the relation "post.tags"' }),
    ]).toEqual([
      'Das `default` passt nicht zum Feld: Es muss zwischen -5 und 5 liegen.',
      '`text` muss ein Text sein, nicht eine Zahl.',
      'Zu viele Spalten in einem Index: 40, höchstens 32.',
      'Die Tabelle „a_b“ gehört schon der Beziehung „post.tags“.',
    ]);
  });

  it('does not translate names', () => {
    expect(germanOf('field.name.duplicate', { name: 'text' })).toBe(
      'Der Feldname „text“ kommt in diesem Schema mehrmals vor.',
    );
  });

  it('stays unchanged if it is unknown', () => {
    const newer = { code: 'field.colour.invalid', message: 'A field has no colour.' };
    const reworded = { code: 'field.type.missing', message: 'Give it a type.' };
    expect([translateSchemaFault(newer, GERMAN), translateSchemaFault(reworded, GERMAN)]).toEqual([newer, reworded]);
    expect(germanOf('field.setter.compile_error', { reason: 'Unexpected token' })).toBe(
      'Der `setter` lässt sich nicht übersetzen: Unexpected token.',
    );
  });
});
