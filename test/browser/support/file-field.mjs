import { press, settled } from './pages.mjs';

export const PHOTOS = {
  types: ['image/png', 'image/jpeg'],
  max_size: 5_000_000,
  quota: 200_000_000,
  sizes: { card: { width: 600, height: 400, fit: 'cover' }, wide: { height: 900 } },
};
/** Adds a file field with the form alone. Faults are shown at the input. */
export async function addPhotos(page) {
  await press(page, 'Add a field');
  await page.getByRole('group', { name: 'field', exact: true }).getByLabel('Name', { exact: true }).fill('photos');
  const field = page.getByRole('group', { name: 'photos', exact: true });
  await field.getByLabel('Type', { exact: true }).selectOption('file');
  for (const flag of ['optional', 'several files']) {
    await settled(page);
    await field.getByLabel(flag, { exact: true }).check();
  }
  const faulty = async (input, text, fault) => {
    await input.fill(text);
    await input.locator('xpath=../..').getByText(fault).waitFor();
  };
  await faulty(field.getByLabel('Types'), 'image/png, pictures', 'a type is written as "image/png" or "image/*"');
  await field.getByLabel('Types').fill('image/png, image/jpeg');
  await faulty(field.getByLabel('Maximum file size (bytes)'), '5 MB', 'max_size');
  await field.getByLabel('Maximum file size (bytes)').fill('5000000');
  await field.getByText('5 MB').waitFor();
  await faulty(field.getByLabel('Quota per account (bytes)'), '0', '`quota` is a number of bytes, at least 1');
  await field.getByLabel('Quota per account (bytes)').fill('200000000');
  await press(page, 'Add an image size');
  await press(page, 'Add an image size');
  const size = (name) => field.getByRole('group', { name: `Size ${name}`, exact: true });
  await size('size').getByLabel('Name of the size').fill('size_2');
  await size('size').getByText('Another size has this name.').waitFor();
  await size('size').getByLabel('Name of the size').fill('card');
  await size('card').getByLabel('Width').fill('600px');
  await size('card').getByText('a size has `width`').waitFor();
  await size('card').getByLabel('Width').fill('600');
  await size('card').getByLabel('Height').fill('400');
  await size('card').getByLabel('Fit').selectOption('cover');
  await size('size_2').getByLabel('Name of the size').fill('wide');
  await size('wide').getByLabel('Width').fill('');
  await size('wide').getByLabel('Height').fill('900');
  await press(page, 'Add an image size');
  await press(page, 'Remove the size size');
  await page.getByRole('status').getByText('The definition is valid.').waitFor();
}
