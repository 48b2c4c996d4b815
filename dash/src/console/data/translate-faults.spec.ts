import { ApiError } from '../../api/api-error.js';
import { recordFaults as german } from '../../texts/de/record-faults.js';
import { recordFaults as english } from '../../texts/en/record-faults.js';
import { translateFault, describeFields, toTopLevelFields } from './translate-faults.js';

const refused = (fields: readonly { field: string; message: string }[]): ApiError =>
  new ApiError({
    status: 400,
    code: 'field_invalid',
    message: 'Some values do not fit.',
    fields: fields.map((item) => ({ ...item, code: 'value_invalid' })),
  });

describe('validation messages of records', () => {
  it.each([
    ['is in use already', 'wird schon verwendet'],
    ['it must be from -128 to 127', 'muss zwischen -128 und 127 liegen'],
    ['has 3 cells where the header has 2', 'hat 3 Zellen, die Kopfzeile aber 2'],
    ['must be {"id": …}, a new record, or null', 'muss {"id": …}, ein neuer Datensatz oder null sein'],
    ['is not a field that you can use here', 'ist kein Feld, das Sie hier verwenden können'],
    ['it is what a hook of the team says', 'it is what a hook of the team says'],
  ])('are translated: %s', (message, translated) => {
    expect(translateFault(message, german)).toBe(translated);
    expect(translateFault(message, english)).toBe(message);
  });

  it('are shown at the field of the form, with the nested part', () => {
    const error = toTopLevelFields(
      refused([
        { field: 'views', message: 'it must be a whole number' },
        { field: 'author.name', message: 'is required' },
        { field: 'tags[1].name', message: 'is required' },
      ]),
      german,
    );
    expect((error as ApiError).fields.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'views: muss eine ganze Zahl sein',
      'author: name: fehlt',
      'tags: [1].name: fehlt',
    ]);
    const other = new Error('another one');
    expect(toTopLevelFields(other, german)).toBe(other);
  });

  it('name the fields of cells', () => {
    const error = refused([{ field: 'views', message: 'it must be a number' }]);
    expect(describeFields(error, { views: 'Aufrufe' }, german)).toBe('Aufrufe: muss eine Zahl sein.');
    expect([describeFields(refused([]), {}, german), describeFields(new Error('x'), {}, german)]).toEqual([null, null]);
  });
});
