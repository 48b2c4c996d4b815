import { parseRoleFile, RoleFileError } from './role-file.js';

/** Rejects single words except `true`. The rule language has its own tests. */
const ruleFault = (_resource: string, rule: string): string | null =>
  /^\w+$/.test(rule) && rule !== 'true' ? `Unknown variable: ${rule}` : null;

function faultsOf(content: unknown): readonly string[] {
  try {
    parseRoleFile(typeof content === 'string' ? content : JSON.stringify(content), ruleFault);
    return [];
  } catch (error) {
    if (error instanceof RoleFileError) return error.faults;
    throw error;
  }
}

const withRole = (role: object): unknown => ({ roles: [{ name: 'editor', ...role }] });
const withPermission = (permission: object): unknown =>
  withRole({ permissions: [{ resource: 'content.post.*', value: 'allow', ...permission }] });

describe('a roles file', () => {
  it('is parsed', () => {
    const permissions = [
      { resource: '*', value: 'deny', fields: null },
      { resource: 'content.post.*', value: 'record.author.id == auth.id', fields: { read: ['title'], write: [] } },
      { resource: 'auth.me', value: 'true' },
    ];
    const text = JSON.stringify({ roles: [{ name: 'editor', description: 'Edits', root: false, permissions }] });
    expect(parseRoleFile(text, ruleFault)).toEqual([
      {
        name: 'editor',
        description: 'Edits',
        root: false,
        permissions: [permissions[0], permissions[1], { ...permissions[2], fields: null }],
      },
    ]);
  });

  it('distinguishes missing from empty permissions', () => {
    expect(parseRoleFile('{"roles":[{"name":"a"}]}', ruleFault)[0]?.permissions).toBeUndefined();
    expect(parseRoleFile('{"roles":[{"name":"a","permissions":[]}]}', ruleFault)[0]?.permissions).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['no JSON', '{', ['the file must be JSON']],
    ['no object', '[]', ['the file must be an object', 'roles must be a list']],
    ['no list', {}, ['roles must be a list']],
    [
      'something beside it',
      { roles: [], users: [] },
      ['the file has the unknown member "users". Known members: roles'],
    ],
    [
      'a role that is no object',
      { roles: ['editor'] },
      ['roles[0] must be an object', expect.stringContaining('roles[0].name must')],
    ],
    ['the same role twice', { roles: [{ name: 'a' }, { name: 'a' }] }, ['roles lists "a" more than once']],
    [
      'the same resource twice',
      withRole({
        permissions: [
          { resource: 'a', value: 'allow' },
          { resource: 'a', value: 'deny' },
        ],
      }),
      ['roles[0].permissions lists "a" more than once'],
    ],
  ])('is rejected with %s', (_, content, faults) => expect(faultsOf(content)).toEqual(faults));

  it.each<[string, unknown, string]>([
    ['a name with upper-case letters', withRole({ name: 'Editor' }), 'roles[0].name'],
    ['a name that is not text', withRole({ name: 7 }), 'roles[0].name'],
    ['a description with a control character', withRole({ description: 'a\u0000' }), 'roles[0].description'],
    ['a root flag that is not a boolean', withRole({ root: 'true' }), 'roles[0].root'],
    ['an admin role that is not root', withRole({ name: 'admin', root: false }), 'roles[0].root'],
    ['a guest role that is root', withRole({ name: 'guest', root: true }), 'roles[0].root'],
    ['a wildcard in the middle', withPermission({ resource: 'content.*.list' }), 'roles[0].permissions[0].resource'],
    ['a prefix without a dot', withPermission({ resource: 'content.po*' }), 'roles[0].permissions[0].resource'],
    ['an empty part', withPermission({ resource: 'content..list' }), 'roles[0].permissions[0].resource'],
    ['an over-long resource', withPermission({ resource: 'a'.repeat(256) }), 'roles[0].permissions[0].resource'],
    ['a missing value', withPermission({ value: undefined }), 'roles[0].permissions[0].value'],
    ['a misspelt value', withPermission({ value: 'Deny' }), 'roles[0].permissions[0].value'],
    [
      'an over-long rule',
      withPermission({ value: `"${'a'.repeat(4_000)}" == auth.id` }),
      'roles[0].permissions[0].value',
    ],
    ['a field list that is none', withPermission({ fields: { read: 'title' } }), 'roles[0].permissions[0].fields.read'],
    ['field names that are none', withPermission({ fields: { write: [1] } }), 'roles[0].permissions[0].fields.write'],
    ['other field lists', withPermission({ fields: { delete: [] } }), 'roles[0].permissions[0].fields'],
    ['other members', withPermission({ colour: 'red' }), 'roles[0].permissions[0]'],
  ])('is rejected with %s', (_, content, place) => {
    const faults = faultsOf(content);
    expect(faults.length).toBeGreaterThan(0);
    for (const fault of faults)
      expect(fault.split(/ (must|has) /)[0]).toMatch(new RegExp(`^${place.replace(/[[\].]/g, '\\$&')}`));
  });

  it('is validated completely: every error is reported', () =>
    expect(
      faultsOf({
        roles: [
          { name: 'A', root: 1 },
          { name: 'b', permissions: [{}] },
        ],
      }),
    ).toHaveLength(4));
});
