import { ApiError } from '../../api/api-error.js';
import { faultsOf, formatOf } from './import-file.js';

describe('a file of records', () => {
  it.each([
    ['posts.csv', 'csv'],
    ['posts.tsv', 'csv'],
    ['posts', 'csv'],
    ['posts.NDJSON', 'ndjson'],
    ['posts.jsonl', 'ndjson'],
    ['posts.json', 'json'],
    ['json.csv', 'csv'],
  ])('%s is %s', (name, format) => {
    expect(formatOf(name)).toBe(format);
  });

  it('has the faults that a refusal tells, and how many there are', () => {
    const fault = { row: 3, field: 'name', code: 'value_invalid', message: 'it cannot be empty' };
    const refusal = (code: string, data: object) => new ApiError({ status: 400, code, message: '', data: { ...data } });
    const told = refusal('import_invalid', { errors: [fault, null, { row: 'x' }], total: 1_200 });
    expect(faultsOf(told)).toEqual({ faults: [fault], total: 1_200 });
    expect(faultsOf(refusal('import_invalid', {}))).toEqual({ faults: [], total: 0 });
    expect(faultsOf(refusal('permission_denied', { errors: [fault] }))).toBeNull();
    expect(faultsOf(new Error('x'))).toBeNull();
    expect(faultsOf(null)).toBeNull();
  });
});
