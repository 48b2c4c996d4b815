import type { PlannedRecord } from '../plan/query-plan.types.js';
import { exportForm } from './export-format.js';

const column = (name: string) => ({ name, operand: {}, type: 'string' });

function planOf(columns: string[], relations: object[] = []): PlannedRecord {
  return { columns: columns.map(column), relations, getters: [] } as unknown as PlannedRecord;
}

const cellsOf = (value: unknown, escapesFormulas = true): string =>
  exportForm('csv', planOf(['a']), { escapesFormulas }).lines([JSON.stringify({ a: value })], true);

describe('a CSV cell', () => {
  it.each<[string, unknown, string]>([
    ['nothing', null, ''],
    ['an empty text', '', '""'],
    ['a text', 'plain', 'plain'],
    ['a comma', 'a,b', '"a,b"'],
    ['quotes', 'say "x"', '"say ""x"""'],
    ['lines', 'a\r\nb\n', '"a\r\nb\n"'],
    ['spaces around', ' a ', '" a "'],
    ['a number below zero', -5, '-5'],
    ['a truth', false, 'false'],
    ['a list', ['a', 1, null], '"[""a"",1,null]"'],
  ])('contains %s unchanged', (_name, value, cell) => {
    expect(cellsOf(value)).toBe(`${cell}\r\n`);
  });

  it.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\t=1', ' =1', '\r=1', '\n+1', '＝1+1', '＠cmd'])(
    'contains no formula of %j, unless requested',
    (value) => {
      expect(cellsOf(value)).toMatch(/^"?'/);
      expect(cellsOf(value, false)).not.toContain("'");
    },
  );

  it('keeps numbers of any length', () => {
    const form = exportForm('csv', planOf(['n']), { escapesFormulas: true });
    expect(form.lines(['{"n":12345678901234567890}'], true)).toBe('12345678901234567890\r\n');
  });
});

describe('CSV columns', () => {
  it('are values, paths for to-one relations, and JSON for to-many relations', () => {
    const plan = planOf(
      ['id', '~id'],
      [
        {
          name: 'owner',
          many: false,
          record: planOf(['name'], [{ name: 'firm', many: false, record: planOf(['id']) }]),
        },
        { name: 'tags', many: true, record: planOf(['id']) },
      ],
    );
    const form = exportForm('csv', plan, { escapesFormulas: true });
    expect(form.head).toBe('id,owner.name,owner.firm.id,tags\r\n');
    const records = [
      { id: 1, owner: { name: 'Ann', firm: null }, tags: [{ id: 2 }] },
      { id: 2, owner: null, tags: [] },
    ];
    expect(
      form.lines(
        records.map((one) => JSON.stringify(one)),
        true,
      ),
    ).toBe('1,Ann,,"[{""id"":2}]"\r\n2,,,[]\r\n');
  });
});
