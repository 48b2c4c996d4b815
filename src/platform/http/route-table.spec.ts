import { RouteTable } from './route-table.js';

describe('RouteTable', () => {
  let table: RouteTable;

  beforeEach(() => {
    table = new RouteTable();
    table.add('GET', '/notes');
    table.add('POST', '/notes');
    table.add('GET', '/notes/:id');
    table.add('DELETE', '/notes/:id');
  });

  it.each([
    ['/notes', ['GET', 'POST']],
    ['/notes/7', ['GET', 'DELETE']],
    ['/notes/a%20b', ['GET', 'DELETE']],
    ['/notes/7/more', []],
    ['/note', []],
    ['/', []],
    ['', []],
    ['/%', []],
    ['/notes/%ff', []],
  ])('lists the methods of %j', (path, methods) => expect(table.allowedMethods(path)).toEqual(methods));

  it.each([
    ['the same', '/notes/:id'],
    ['the same with another name', '/notes/:note'],
    ['the same with a slash behind', '/notes/:id/'],
  ])('rejects a second route of the same shape: %s', (_, url) =>
    expect(() => table.add('GET', url)).toThrow(/Two routes match the same requests: GET \/notes\/:id and GET/),
  );

  it('includes routes added later', () => {
    expect(table.allowedMethods('/tags')).toEqual([]);
    table.add('GET', '/tags');
    expect(table.allowedMethods('/tags')).toEqual(['GET']);
  });

  it('accepts another method, or another shape', () => {
    table.add('PATCH', '/notes/:id');
    table.add('GET', '/notes/:id/tags');
    table.add('GET', '/notes/newest');
    expect(table.allowedMethods('/notes/newest')).toEqual(['GET', 'DELETE', 'PATCH']);
    expect(table.list()).toHaveLength(7);
  });
});
