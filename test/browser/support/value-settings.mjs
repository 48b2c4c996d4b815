import { join } from 'node:path';
import { addPhotos, PHOTOS } from './file-field.mjs';
import { checkAppearance, SIZES } from './appearance-checks.mjs';
import { press, settled } from './pages.mjs';

export const FIELDS = [
  { type: 'file', name: 'photos', optional: true, multiple: true, file: PHOTOS },
  { type: 'string', name: 'maker', label: 'Made by', size: 40, default: 'nobody', getter: 'value', sortable: false },
  {
    type: 'enum',
    name: 'colour',
    optional: true,
    immutable: true,
    default: 'red',
    enums: [{ value: 'red', label: 'Red' }, { value: 'blue' }],
  },
  { type: 'float64', name: 'weight', default: 1.05 },
  { type: 'bool', name: 'whistles', default: false },
  {
    type: 'relation',
    name: 'set',
    relation: {
      schema: 'kettle',
      field: 'members',
      type: 'o2m',
      on_delete: 'set_null',
    },
    optional: true,
  },
  {
    type: 'relation',
    name: 'members',
    relation: { schema: 'kettle', field: 'set', type: 'o2m', owner: true },
  },
];

export const MORE_OF_SCHEMA = {
  audit: 'values',
  db: { indexes: [{ unique: true, columns: ['maker', 'colour'] }] },
};

/** Adds fields with the form alone and returns the faults of its look. */
export async function addFields(page, { artifacts }) {
  await addPhotos(page);
  await addValues(page);
  await changeSchema(page);
  await addRelation(page);
  await changeMoreOfSchema(page);
  const faults = await checkAppearance(page, join(artifacts, 'model-form'));
  await page.setViewportSize(SIZES.wide);
  return faults;
}

const input = (field, label) => field.getByLabel(label, { exact: true });
const seeFault = (at, fault) => at.locator('xpath=../..').getByText(fault).waitFor();
const sound = (page) => page.getByRole('status').getByText('The definition is valid.').waitFor();

async function check(page, box) {
  await settled(page);
  await box.check();
}

async function uncheck(page, box) {
  await settled(page);
  await box.uncheck();
}

async function open(page, summary) {
  await settled(page);
  await summary.click();
}

async function add(page, name, type) {
  await press(page, 'Add a field');
  await input(page.getByRole('group', { name: 'field', exact: true }), 'Name').fill(name);
  const field = page.getByRole('group', { name, exact: true });
  await input(field, 'Type').selectOption(type);
  return field;
}

async function addRelation(page) {
  const sides = [
    ['set', 'members'],
    ['members', 'set'],
  ];
  for (const [name, back] of sides) {
    const field = await add(page, name, 'relation');
    await input(field, 'Target schema').selectOption('kettle');
    await input(field, 'Cardinality').selectOption('o2m');
    await input(field, 'Back reference field').fill(back);
  }
  await check(
    page,
    input(page.getByRole('group', { name: 'members', exact: true }), 'the key is stored on the other side'),
  );
  const set = page.getByRole('group', { name: 'set', exact: true });
  await open(page, set.getByText('More options of the relation set'));
  await input(set, 'When the target is deleted').selectOption('set_null');
  await seeFault(input(set, 'When the target is deleted'), '`on_delete: set_null`');
  await check(page, input(set, 'optional'));
  await sound(page);
}

async function changeMoreOfSchema(page) {
  const schema = page.getByRole('group', { name: 'Schema', exact: true });
  await open(page, schema.getByText('More schema options'));
  await input(schema, 'Primary key field').selectOption('volume');
  await seeFault(input(schema, 'Primary key field'), 'it is optional');
  await input(schema, 'Primary key field').selectOption('generated id');
  await input(schema, 'Audit log').selectOption('changed fields and values');
  await press(page, 'Add an index');
  const index = schema.getByRole('group', { name: /^Index on/ });
  await seeFault(input(index, 'Fields, in order'), /columns/);
  await input(index, 'Fields, in order').fill('maker, colur');
  await seeFault(input(index, 'Fields, in order'), '"colur"');
  await press(page, 'Use “colour”');
  await input(index, 'Name of the index').fill('no name');
  await seeFault(input(index, 'Name of the index'), '"no name"');
  await input(index, 'Name of the index').fill('');
  await check(page, input(schema, 'without created_at, updated_at and deleted_at'));
  await press(page, 'Show the plan');
  await page.getByText('This change loses data.').waitFor();
  await uncheck(page, input(schema, 'without created_at, updated_at and deleted_at'));
  await sound(page);
}

async function addValues(page) {
  const faulty = async (at, text, fault) => {
    await at.fill(text);
    await seeFault(at, fault);
  };

  const maker = await add(page, 'maker', 'string');
  await faulty(input(maker, 'Maximum length'), '0', '`size`');
  await input(maker, 'Maximum length').fill('40');
  await faulty(input(maker, 'Default'), 'n'.repeat(41), 'longer than 40');
  await input(maker, 'Default').fill('nobody');
  await open(page, maker.getByText('More options of maker'));
  await input(maker, 'Label').fill('Made by');
  await faulty(input(maker, 'Getter'), 'value +', 'The `getter` does not compile');
  await input(maker, 'Getter').fill('value');
  await uncheck(page, input(maker, 'sortable'));

  const colour = await add(page, 'colour', 'enum');
  await colour.getByText('An enum field needs `enums`').waitFor();
  for (const value of ['blue', 'red']) {
    await press(page, 'Add a value');
    await input(colour.getByRole('group', { name: 'Value value' }), 'Value').fill(value);
  }
  const red = colour.getByRole('group', { name: 'Value red' });
  await input(red, 'Label').fill('Red');
  await input(red, 'Value').fill('blue');
  await colour.getByText(/"blue".* more than once/).waitFor();
  await input(colour.getByRole('group', { name: 'Value blue' }).last(), 'Value').fill('red');
  await press(page, 'Move the value red up');
  await input(colour, 'Default').selectOption('red');
  await check(page, input(colour, 'optional'));
  await open(page, colour.getByText('More options of colour'));
  await check(page, input(colour, 'immutable'));

  // A number is typed as text. A setting of the previous type can be removed.
  const weight = await add(page, 'weight', 'string');
  await input(weight, 'Maximum length').fill('5');
  await input(weight, 'Type').selectOption('float64');
  await input(weight, 'Maximum length').locator('xpath=../..').getByText('`size`').waitFor();
  await input(weight, 'Maximum length').fill('');
  await input(weight, 'Maximum length').waitFor({ state: 'detached' });
  await input(weight, 'Default').pressSequentially('1.05');
  const whistles = await add(page, 'whistles', 'bool');
  await input(whistles, 'Default').selectOption('false');
  await page.getByRole('status').getByText('The definition is valid.').waitFor();
}

/** Changes the schema options. The plan shows a rename of the table; then the name is changed back. */
async function changeSchema(page) {
  const schema = page.getByRole('group', { name: 'Schema', exact: true });
  const input = (label) => schema.getByLabel(label, { exact: true });
  await input('Namespace').fill('1');
  await input('Namespace').locator('xpath=../..').getByText('"1"').waitFor();
  await input('Namespace').fill('pots');
  await input('Label field').selectOption('maker');
  await input('Name').fill('pot');
  await press(page, 'Show the plan');
  await page.getByText('Renames the table "kettles" to "pots".').waitFor();
  await input('Namespace').fill('kettles');
  await input('Name').fill('kettle');
  await page.getByRole('status').getByText('The definition is valid.').waitFor();
}
