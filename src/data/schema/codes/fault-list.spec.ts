import { FaultList, type FaultLocation, comparePointers, jsonPointer } from './fault-list.js';
import { nearName } from '../../../kernel/text/near-name.js';
import { createFault, SchemaFaultError, fieldErrors } from './schema-fault.js';

const location = (rank: number, path: string): FaultLocation => ({ rank, path, submitted: true, schema: `s${rank}` });

describe('a list of schema errors', () => {
  test('is in document order, however they were found', () => {
    const faults = new FaultList();
    faults.add('field.type.missing', location(1, '/fields/0/type'));
    faults.add('field.type.missing', location(0, '/fields/10/type'));
    faults.add('field.name.required', location(0, '/fields/2/name'), { index: 2 });
    faults.add('schema.namespace.required', location(0, '/namespace'));
    faults.add('schema.name.required', location(0, '/name'));
    expect(faults.sorted().map((fault) => `${fault.schema} ${fault.path}`)).toEqual([
      's0 /name',
      's0 /namespace',
      's0 /fields/2/name',
      's0 /fields/10/type',
      's1 /fields/0/type',
    ]);
  });

  test('contains each error once', () => {
    const faults = new FaultList();
    for (let times = 0; times < 3; times += 1) faults.add('field.type.missing', location(0, '/fields/0/type'));
    expect(faults.size).toBe(1);
  });

  test('contains no path of a schema that was not submitted', () => {
    const faults = new FaultList();
    faults.add('relation.target.not_found', { ...location(0, '/fields/0'), submitted: false }, { field: 'x' });
    expect(faults.sorted()[0]).not.toHaveProperty('path');
  });
});

describe('the payload of an error response', () => {
  test('names the first affected schema, without causes', () => {
    const fault = createFault('field.setter.compile_error', { schema: 'post', field: 'x', cause: new Error('inside') });
    expect(fieldErrors([createFault('schema.name.required'), fault])).toEqual({
      schema: 'post',
      field_errors: [
        { code: 'schema.name.required', message: 'A schema needs a `name`.' },
        { code: 'field.setter.compile_error', message: expect.any(String), schema: 'post', field: 'x' },
      ],
    });
  });

  test('contains all errors, and the cause of the first', () => {
    const cause = new Error('inside');
    const error = new SchemaFaultError([createFault('schema.io.read_error', { cause })]);
    expect(error.cause).toBe(cause);
    expect(error.message).toContain('schema.io.read_error');
  });

  test('truncates long values in messages', () => {
    expect(createFault('schema.name.invalid', { params: { name: 'x'.repeat(9_999) } }).message.length).toBeLessThan(
      400,
    );
  });
});

describe('pointers', () => {
  test('escape ~ and / (RFC 6901)', () => {
    expect(jsonPointer('/fields', 3, 'a/b~c')).toBe('/fields/3/a~1b~0c');
  });

  test('sort lists by number and unknown members last', () => {
    const sorted = ['/fields/10', '/zebra', '/fields/9', '/name', '/apple', '/fields'].sort(comparePointers);
    expect(sorted).toEqual(['/name', '/fields', '/fields/9', '/fields/10', '/apple', '/zebra']);
  });
});

describe('a similar name', () => {
  test.each([
    ['titel', ['title', 'tile'], 'title'],
    ['Category', ['category'], 'category'],
    ['strng', ['string', 'text'], 'string'],
    ['xyz', ['title'], undefined],
    ['', ['a'], undefined],
    ['a'.repeat(1_000), ['b'], undefined],
  ])('of %s among %j is %s', (name, candidates, near) => {
    expect(nearName(name, candidates)).toBe(near);
  });
});
