import { translateStep } from '../../dash/src/console/model/translate-schema-fault.js';
import { planWords as german } from '../../dash/src/texts/de/plan-words.js';
import { planWords as english } from '../../dash/src/texts/en/plan-words.js';
import type { LinkedColumn, LinkedTable } from '../../src/data/model/schema-model.types.js';
import {
  castCheck,
  columnsCheck,
  emptyTableCheck,
  foreignKeyCheck,
  notNullCheck,
  singleRowCheck,
  uniqueCheck,
  valueCheck,
} from '../../src/data/schema/plan/action-sql.js';
import { describeAction } from '../../src/data/schema/plan/plan-change.js';
import type { PlanAction } from '../../src/data/schema/plan/plan.types.js';

const column = { name: 'size', sqlType: 'numeric(10,2)', nullable: true } as LinkedColumn;
const table = { name: 'things', columns: [column], primaryKey: { columns: ['id'] } } as unknown as LinkedTable;
const index = { columns: ['size', 'tag'], unique: false } as unknown as Extract<
  PlanAction,
  { kind: 'create_index' }
>['index'];
const check = { column: 'size' } as Extract<PlanAction, { kind: 'add_check' }>['check'];
const foreignKey = { column: 'tag_id', targetTable: 'tags' } as Extract<
  PlanAction,
  { kind: 'add_foreign_key' }
>['foreignKey'];
const on = { table: 'things' };

/** An action of each kind. Kinds whose text depends on more than the kind have several. */
const ACTIONS: Readonly<Record<PlanAction['kind'], object | readonly object[]>> = {
  create_table: { definition: table },
  archive_table: { archived: '_dropped_things' },
  rename_table: { to: 'other' },
  rename_column: { column: 'size', to: 'width' },
  restore_table: { to: 'things' },
  restore_column: { column: '_dropped_size', to: 'size' },
  copy_links: [
    { schema: 'thing', field: 'tags' },
    { schema: 'thing', field: 'tags', to: 'tag_id' },
  ],
  rename_index: { index: 'ix_a', to: 'ix_b' },
  rename_constraint: { constraint: 'fk_a', to: 'fk_b' },
  create_index: [{ index }, { index: { ...index, unique: true } }],
  drop_index: { index },
  add_check: { check },
  drop_check: { check },
  add_foreign_key: { foreignKey },
  drop_foreign_key: { foreignKey },
  validate_foreign_key: { foreignKey },
  add_column: [{ column }, { column: { ...column, nullable: false } }],
  archive_column: { column, archived: '_dropped_size' },
  change_type: { column, from: { ...column, sqlType: 'text' } },
  set_not_null: [{ column }, { column: { ...column, default: 1 } }],
  drop_not_null: { column },
  set_default: { column },
  drop_default: { column },
  add_identity: { column },
  drop_identity: { column },
};
const STEPS = Object.entries(ACTIONS).flatMap(([kind, given]) =>
  [given].flat().map((more) => describeAction({ kind, ...on, ...more } as PlanAction)),
);
const CHECKS = [
  emptyTableCheck(table, column),
  notNullCheck(table, 'size'),
  uniqueCheck('things', ['size', 'tag'], undefined),
  singleRowCheck('things', column),
  valueCheck('things', 'size', { kind: 'range', min: '0', max: '9' }),
  foreignKeyCheck('things', 'tag_id', undefined),
  columnsCheck('things', 3),
  castCheck('things', column, { ...column, sqlType: 'integer' }, 'true'),
].map(({ words }) => `1234: ${words}.`);

const placesOf = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();
/** Returns the names in a text: the parts in English or German quotes. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/["„]([^"„“]+)["“]/g)].map(([, name = '']) => name).sort();

describe('plan texts of the pages', () => {
  it.each([...STEPS, ...CHECKS])('are translated to German: %s', (said) => {
    const words = translateStep(said, { planWords: german });
    expect(words).not.toBe(said);
    expect(words).not.toMatch(/[{}]/);
    expect(namesIn(words)).toEqual(namesIn(said));
    expect(words.startsWith('1234: ')).toBe(said.startsWith('1234: '));
    expect(translateStep(said, { planWords: english })).toBe(said);
  });

  it('contain every value in every language', () => {
    for (const [key, text] of Object.entries(english))
      expect([key, placesOf(german[key as keyof typeof german])]).toEqual([key, placesOf(text)]);
  });

  it('keep unknown texts unchanged', () => {
    expect(translateStep('Paints the table "things" green.', { planWords: german })).toBe(
      'Paints the table "things" green.',
    );
  });
});
