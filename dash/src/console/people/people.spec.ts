import type { Permissions } from '../../api/openapi.js';
import { isOpen, listQuery, nameOfPerson, personQuery, canSeeSessions, sessionsQuery } from './people-query.js';

const ALL = ['id', 'email', 'username', 'first_name', 'last_name', 'provider', 'activated', 'created_at', 'roles'];
const permissionsFor = (list: string[], role?: string[]): Permissions => ({
  root: false,
  roles: [],
  resources: [],
  content: {
    user: { list: { value: 'allow', fields: list }, get: { value: 'rules', fields: list } },
    ...(role && { role: { list: { value: 'allow', fields: role } } }),
  },
});
const filterOf = (query: string): unknown => JSON.parse(new URLSearchParams(query).get('filter') ?? 'null');

describe('accounts', () => {
  it('are requested with readable fields only', () => {
    const query = new URLSearchParams(listQuery(permissionsFor(['id', 'username']), 'ada', ''));
    expect(Object.fromEntries(query)).toEqual({
      select: 'id,username',
      filter: '{"$and":[{"$or":[{"username":{"$icontains":"ada"}}]}]}',
      sort: '-id',
      limit: '50',
      cursor: '',
    });
    expect(new URLSearchParams(personQuery(permissionsFor(ALL))).get('select')).not.toContain('roles');
    expect(new URLSearchParams(personQuery(permissionsFor(ALL, ['name']))).get('select')).not.toContain('roles');
    expect(new URLSearchParams(personQuery(permissionsFor(['username']))).get('select')).toBe('username');
    expect(new URLSearchParams(personQuery(permissionsFor([]))).get('select')).toBe('id');
    expect(new URLSearchParams(personQuery(permissionsFor(ALL, ['id', 'name']))).get('select')).toContain(
      'roles.id,roles.name',
    );
  });

  it('are found by name, address or id, without service accounts', () => {
    const people = { provider: { $nin: ['service', 'erased'] } };
    expect(filterOf(listQuery(permissionsFor(ALL), '  ', ''))).toEqual({ $and: [people] });
    const text = '%"} $search';
    const names = ['email', 'username', 'first_name', 'last_name'].map((name) => ({ [name]: { $icontains: text } }));
    expect(filterOf(listQuery(permissionsFor(ALL), ` ${text} `, ''))).toEqual({ $and: [people, { $or: names }] });
    const id = '0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';
    expect(JSON.stringify(filterOf(listQuery(permissionsFor(ALL), id, '')))).toContain(`{"id":"${id}"}`);
  });

  it('have sessions if their fields are readable', () => {
    const seen = (session: string[], get: string[]): Permissions => ({
      ...permissionsFor([]),
      content: {
        session: { list: { value: 'allow', fields: session } },
        user: { get: { value: 'allow', fields: get } },
      },
    });
    expect(canSeeSessions(seen(['id', 'user'], ['id']))).toBe(true);
    expect(canSeeSessions(seen(['id'], ['id']))).toBe(false);
    expect(canSeeSessions(seen(['id', 'user'], ['username']))).toBe(false);
    const now = new Date('2026-01-31T12:00:00Z');
    expect(Object.fromEntries(new URLSearchParams(sessionsQuery(seen(['id', 'user'], ['id']), 'ada', now)))).toEqual({
      select: 'id',
      filter: '{"user":"ada"}',
      sort: '-id',
      limit: '100',
      cursor: '',
    });
    const all = sessionsQuery(seen(['id', 'user', 'last_used_at', 'expires_at'], ['id']), 'ada', now);
    expect(new URLSearchParams(all).get('sort')).toBe('-last_used_at');
    expect(filterOf(all)).toEqual({ user: 'ada', expires_at: { $gt: '2026-01-31T12:00:00.000Z' } });
  });

  it('are named by name, user name or address', () => {
    const person = { id: '1', email: 'ada@example.com', username: 'ada', first_name: 'Ada', last_name: null };
    expect(nameOfPerson(person)).toBe('Ada');
    expect(nameOfPerson({ ...person, first_name: null })).toBe('ada');
    expect(nameOfPerson({ ...person, first_name: null, username: null })).toBe('ada@example.com');
    expect(nameOfPerson({ id: '1' })).toBe('1');
  });

  it('are checked by action and field', () => {
    expect(isOpen(permissionsFor(['email']), 'user', 'list', 'email')).toBe(true);
    expect(isOpen(permissionsFor(['email']), 'user', 'list', 'roles')).toBe(false);
    expect(isOpen(permissionsFor(['email']), 'user', 'update')).toBe(false);
    expect(isOpen(permissionsFor(['email']), 'session', 'list')).toBe(false);
  });
});
