import { join } from 'node:path';
import { addPhotos, PHOTOS } from './file-field.mjs';
import { lookAt, SIZES } from './look.mjs';
import { press } from './pages.mjs';

/** What the fields say that `addFields` adds. */
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
];

/** Adds fields by the form alone, and answers what is wrong with how it looks then. */
export async function addFields(page, { artifacts }) {
  await addPhotos(page);
  await addValues(page);
  await changeSchema(page);
  const faults = await lookAt(page, join(artifacts, 'model-form'));
  await page.setViewportSize(SIZES.wide);
  return faults;
}

/** Adds fields of several types; what is wrong meanwhile is told where it is typed. */
async function addValues(page) {
  const add = async (name, type) => {
    await press(page, 'Add a field');
    await page.getByRole('group', { name: 'field', exact: true }).getByLabel('Name', { exact: true }).fill(name);
    const field = page.getByRole('group', { name, exact: true });
    await field.getByLabel('Type', { exact: true }).selectOption(type);
    return field;
  };
  const input = (field, label) => field.getByLabel(label, { exact: true });
  const faulty = async (at, text, fault) => {
    await at.fill(text);
    await at.locator('xpath=../..').getByText(fault).waitFor();
  };

  const maker = await add('maker', 'string');
  await faulty(input(maker, 'Longest value'), '0', '`size`');
  await input(maker, 'Longest value').fill('40');
  await faulty(input(maker, 'Default'), 'n'.repeat(41), 'longer than 40');
  await input(maker, 'Default').fill('nobody');
  await maker.getByText('More of maker').click();
  await input(maker, 'Label').fill('Made by');
  await faulty(input(maker, 'Getter'), 'value +', 'The `getter` does not compile');
  await input(maker, 'Getter').fill('value');
  await input(maker, 'sortable').uncheck();

  const colour = await add('colour', 'enum');
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
  await input(colour, 'optional').check();
  await colour.getByText('More of colour').click();
  await input(colour, 'set once').check();

  // A number is typed as one types it; what the type before had can be taken away.
  const weight = await add('weight', 'string');
  await input(weight, 'Longest value').fill('5');
  await input(weight, 'Type').selectOption('float64');
  await input(weight, 'Longest value').locator('xpath=../..').getByText('`size`').waitFor();
  await input(weight, 'Longest value').fill('');
  await input(weight, 'Longest value').waitFor({ state: 'detached' });
  await input(weight, 'Default').pressSequentially('1.05');
  const whistles = await add('whistles', 'bool');
  await input(whistles, 'Default').selectOption('false');
  await page.getByRole('status').getByText('Nothing is wrong.').waitFor();
}

/** Changes what the schema says of itself. Its name is another with all that is in it; here it is changed back. */
async function changeSchema(page) {
  const schema = page.getByRole('group', { name: 'The schema', exact: true });
  const input = (label) => schema.getByLabel(label, { exact: true });
  await input('Namespace').fill('1');
  await input('Namespace').locator('xpath=../..').getByText('"1"').waitFor();
  await input('Namespace').fill('pots');
  await input('Field that names a record').selectOption('maker');
  await input('Name').fill('pot');
  await press(page, 'Show the plan');
  await page.getByText('Renames the table "kettles" to "pots".').waitFor();
  await input('Namespace').fill('kettles');
  await input('Name').fill('kettle');
  await page.getByRole('status').getByText('Nothing is wrong.').waitFor();
}
