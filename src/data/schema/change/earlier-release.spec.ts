import { field, schema, SYSTEM } from '../../../../test/support/schema-definitions.js';
import type { SystemSchemas } from '../../../kernel/system-schema.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { restoreSnapshot } from '../snapshot/schema-snapshot.js';
import { initialSnapshot, prepareChange } from './prepare-change.js';

const MISSING = ['sha256', 'uploaded_by'];

/** Returns the system schemas of a release in which files did not have these fields. */
function earlierSystem(): SystemSchemas {
  const file = SYSTEM.get('file')!;
  const fields = file.definition.fields.filter(({ name }) => !MISSING.includes(name));
  const former = { ...file, softDelete: false, makerField: null, definition: { ...file.definition, fields } };
  return new Map([...SYSTEM, ['file', former]]);
}

/** Applies an empty change, as every start does. */
function started(current: SchemaSnapshot): SchemaSnapshot {
  const change = prepareChange(current, {});
  if (!change.ok) throw new Error(JSON.stringify(change.faults));
  expect([change.plan.steps, change.plan.losesData]).toEqual([[], false]);
  return change.snapshot;
}

describe('a stored snapshot of an earlier release', () => {
  const stored = (): SchemaSnapshot => {
    const put = [
      { json: { name: 'file', fields: [field('string', 'caption', { optional: true })] } },
      { json: schema('post', [field('file', 'cover', { optional: true })]) },
    ];
    const change = prepareChange(initialSnapshot(earlierSystem()), { put });
    if (!change.ok) throw new Error(JSON.stringify(change.faults));
    return JSON.parse(JSON.stringify(change.snapshot)) as SchemaSnapshot;
  };

  it('gets the fields of its system schemas at the next start, with added ones and links', () => {
    const before = restoreSnapshot(stored(), SYSTEM);
    for (const name of MISSING) expect(before.schemas['file']?.fields).not.toHaveProperty(name);
    const after = started(before);
    const { fields } = after.schemas['file']!;
    for (const name of [...MISSING, 'caption', 'post_cover']) expect(fields).toHaveProperty(name);
    expect(fields['caption']?.id).toBe(before.schemas['file']?.fields['caption']?.id);
    expect(after.schemas['post']?.fields['cover']).toEqual(before.schemas['post']?.fields['cover']);
  });

  it('is unchanged afterwards', () => {
    const after = started(restoreSnapshot(stored(), SYSTEM));
    expect(started(after)).toBe(after);
  });
});
