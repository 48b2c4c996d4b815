import fc from 'fast-check';
import { PlanCatalogue } from '../../../../test/support/plan-catalogue.js';
import { applied, blog, faultsOf, schema, snapshotOf, SYSTEM } from '../../../../test/support/schema-definitions.js';
import { validSet } from '../../../../test/support/valid-schemas.js';
import { FaultList } from '../codes/fault-list.js';
import { SCHEMA_FAULT_CODES } from '../codes/schema-fault.js';
import { readSubmission } from '../definition/read-submission.js';
import { linkSchemas } from '../link/link-schemas.js';
import { checkedSchema } from '../link/schema-set.js';
import { seededIds } from '../link/stable-ids.js';
import { diffModels, planChange } from '../plan/plan-change.js';
import { withArchived } from './prepare-undo.js';
import { restoreSnapshot, modelHash } from '../snapshot/schema-snapshot.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { validateSchema } from '../validate/validate-schema.js';
import { initialSnapshot, prepareChange } from './prepare-change.js';

type Json = Record<string, unknown>;

/** Replaces any node of a valid document by arbitrary JSON, or removes it. */
const mutation = fc.record({
  steps: fc.array(fc.nat({ max: 20 }), { maxLength: 6 }),
  json: fc.jsonValue(),
  drop: fc.boolean(),
});

function mutate(document: unknown, { steps, json, drop }: { steps: number[]; json: unknown; drop: boolean }): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return json;
  if (typeof document !== 'object' || document === null) return json;
  const keys = Object.keys(document);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return json;
  const copy = structuredClone(document) as Json;
  if (rest.length === 0 && drop && Array.isArray(copy)) copy.splice(Number(key), 1);
  else if (rest.length === 0 && drop) delete copy[key];
  else copy[key] = mutate(copy[key], { steps: rest, json, drop });
  return copy;
}

describe('any JSON', () => {
  test('is validated without exceptions, with known codes and texts', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (json) => {
        for (const fault of faultsOf(json)) {
          expect(Object.hasOwn(SCHEMA_FAULT_CODES, fault.code)).toBe(true);
          expect(fault.message.length).toBeGreaterThan(10);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('as any part of a valid document is validated deterministically without exceptions', () => {
    const current = snapshotOf(blog());
    fc.assert(
      fc.property(
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('create', 'report'),
        (mutations, backRefs) => {
          const json = mutations.reduce<unknown>(mutate, { schemas: blog() });
          const change = { put: [{ json }], backRefs } as const;
          for (const start of [initialSnapshot(SYSTEM), current]) {
            const prepared = prepareChange(start, change);
            expect(JSON.stringify(prepareChange(start, change))).toBe(JSON.stringify(prepared));
            if (prepared.ok)
              expect(restoreSnapshot(JSON.parse(JSON.stringify(prepared.snapshot)), SYSTEM)).toEqual(prepared.snapshot);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test.each([
    ['nested ten thousand levels', JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) as unknown],
    [
      'a default nested ten thousand levels',
      schema('a', [
        { type: 'json', name: 'x', default: JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) as unknown },
      ]),
    ],
    [
      'with __proto__',
      JSON.parse('{"name":"a","__proto__":{"namespace":"as"},"fields":[{"__proto__":{"type":"int"}}]}') as unknown,
    ],
    ['with ten thousand schemas', Array.from({ length: 10_000 }, () => ({}))],
    [
      'with ten thousand fields',
      schema(
        'a',
        Array.from({ length: 10_000 }, () => ({})),
      ),
    ],
  ])('%s is rejected', (_, json) => {
    expect(faultsOf(json).length).toBeGreaterThan(0);
  });
});

describe('any valid set', () => {
  test('links, survives JSON, and has an empty plan against itself', () => {
    fc.assert(
      fc.property(validSet, (json) => {
        const { snapshot } = applied(initialSnapshot(SYSTEM), { put: [{ json }] });
        expect(restoreSnapshot(JSON.parse(JSON.stringify(snapshot)), SYSTEM)).toEqual(snapshot);
        expect(planChange(snapshot, snapshotOf(json), 1).steps).toEqual([]);
        const answered = Object.values(snapshot.schemas).map(({ definition }) => definition);
        expect(applied(snapshot, { put: [{ json: answered }] }).snapshot).toBe(snapshot);
      }),
      { numRuns: 30 },
    );
  });

  test('is validated and linked incrementally like completely', () => {
    const removal = fc.nat({ max: 6 });
    fc.assert(
      fc.property(
        validSet,
        validSet,
        removal,
        fc.array(mutation, { maxLength: 2 }),
        (first, second, gone, mutations) => {
          const current = snapshotOf(first);
          // A copy with new objects, so that nothing can be recognized by identity.
          const forgotten = restoreSnapshot(JSON.parse(JSON.stringify(current)), SYSTEM);
          const json = mutations.reduce<unknown>(mutate, { schemas: second.slice(0, 2) });
          const look = (previous: SchemaSnapshot) => {
            const faults = new FaultList();
            const put = readSubmission([{ json }], faults).map((raw) => validateSchema(raw, SYSTEM, faults));
            const names = new Set(put.map(({ definition }) => definition.name).concat(`s${gone}`));
            const unchanged = Object.values(current.schemas).filter(({ name }) => !names.has(name));
            const schemas = [...put, ...unchanged.map(({ definition }) => checkedSchema(definition, SYSTEM))];
            const model = linkSchemas({ schemas, previous, system: SYSTEM, newId: seededIds('x') }, faults);
            return {
              hash: model && modelHash(model),
              faults: faults.sorted().map(({ cause: _cause, ...fault }) => fault),
            };
          };
          expect(look(current)).toEqual(look(forgotten));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('becomes any other by applicable steps', () => {
    fc.assert(
      fc.property(validSet, validSet, (first, second) => {
        const before = snapshotOf(first);
        const keptNames = new Set(second.map((definition) => definition['name']));
        const remove = first.map((definition) => String(definition['name'])).filter((name) => !keptNames.has(name));
        const prepared = prepareChange(before, { put: [{ json: second }], remove });
        if (!prepared.ok) throw new Error(JSON.stringify(prepared.faults));
        const catalogue = PlanCatalogue.of(before);
        for (const { action } of diffModels(before, prepared.snapshot, before.version)) catalogue.take(action);
        expect(catalogue.visible()).toEqual(PlanCatalogue.of(prepared.snapshot).visible());
        // The way back also uses the archived tables and columns.
        const { model } = withArchived(before, prepared.snapshot, before.version);
        const back = diffModels(model, before, prepared.snapshot.version);
        for (const { action } of back) catalogue.take(action);
        expect(catalogue.visible()).toEqual(PlanCatalogue.of(before).visible());
        const made = back.flatMap(({ action }) => (action.kind === 'create_table' ? [action.definition.id] : []));
        // Only junction tables are created, because links are copied back. Everything else was archived.
        expect(made.filter((id) => !id.startsWith('junction:'))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
