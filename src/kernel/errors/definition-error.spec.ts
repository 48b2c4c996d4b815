import { OwnedTable } from './definition-error.js';

describe('names with one owner', () => {
  const defined = (...owners: string[]): OwnedTable<number> => {
    const table = new OwnedTable<number>('the error');
    owners.forEach((owner, at) => table.define(owner, { out_of_soup: at, [`of_${at}`]: at }));
    return table;
  };

  it('are reported with both owners only on request', () =>
    expect(() => defined('Kitchen', 'Bar').assertOwnedOnce()).toThrow(
      /^Kitchen and Bar both declare the error out_of_soup\. Rename one of them\.$/,
    ));

  it('are reported for one owner too', () =>
    expect(() => defined('Kitchen', 'Kitchen').assertOwnedOnce()).toThrow(
      /^Kitchen declares the error out_of_soup twice\. Keep one of them\.$/,
    ));

  it('keep the value of the first owner', () => {
    expect(defined('Kitchen', 'Bar').find('out_of_soup')).toBe(0);
    expect(defined('Kitchen', 'Bar').find('of_1')).toBe(1);
  });

  it('pass without a conflict', () => expect(() => defined('Kitchen').assertOwnedOnce()).not.toThrow());
});
