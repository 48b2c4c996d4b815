import { OwnedTable } from './owned-table.js';

describe('names of which each has one owner', () => {
  const defined = (...owners: string[]): OwnedTable<number> => {
    const table = new OwnedTable<number>('the error');
    owners.forEach((owner, at) => table.define(owner, { out_of_soup: at, [`of_${at}`]: at }));
    return table;
  };

  it('are told, with both owners, only when they are asked for', () =>
    expect(() => defined('Kitchen', 'Bar').assertOwnedOnce()).toThrow(
      /^Kitchen and Bar both declare the error out_of_soup: rename one of them\.$/,
    ));

  it('are told of one owner too', () =>
    expect(() => defined('Kitchen', 'Kitchen').assertOwnedOnce()).toThrow(
      /^Kitchen declares the error out_of_soup twice: keep one of them\.$/,
    ));

  it('stay what the first owner said', () => {
    expect(defined('Kitchen', 'Bar').find('out_of_soup')).toBe(0);
    expect(defined('Kitchen', 'Bar').find('of_1')).toBe(1);
  });

  it('pass alone', () => expect(() => defined('Kitchen').assertOwnedOnce()).not.toThrow());
});
