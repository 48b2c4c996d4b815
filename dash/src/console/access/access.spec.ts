import type { RecordSchema } from '../data/record-schema.js';
import {
  changesOf,
  withCopy,
  type Draft,
  permissionsOf,
  isUnchanged,
  NO_CHANGES,
  operationsOf,
  withGrant,
} from './access-draft.js';
import { ACTIONS, effectOf, otherResources, type Permission, permissionsByRole, verdictsOf } from './access-model.js';
import { ruleCompletionsAt } from './rule-completions.js';

const permission = (resource: string, value: string, rest: Partial<Permission> = {}): Permission => ({
  id: `p ${resource}`,
  role: 'r',
  resource,
  value,
  fields: null,
  ...rest,
});

describe('permissions of a role', () => {
  it.each<[string, readonly Permission[], string, number]>([
    ['no permission', [], 'none', 0],
    ['allowed by name', [permission('content.post.list', 'allow')], 'allow', 1],
    ['allowed by a prefix', [permission('content.post.*', 'allow')], 'allow', 1],
    ['allowed by a wildcard', [permission('*', 'allow')], 'allow', 1],
    ['a similar prefix', [permission('content.postbox.*', 'allow')], 'none', 0],
    ['rules add up', [permission('content.post.list', 'a'), permission('content.*', 'b')], 'rule', 2],
    ['allow beats rules', [permission('content.post.list', 'a'), permission('content.*', 'allow')], 'allow', 1],
    ['deny beats allow', [permission('content.post.list', 'allow'), permission('content.*', 'deny')], 'none', 1],
  ])('%s', (_, permissions, verdict, by) => {
    const effect = effectOf(permissions, 'content.post.list');
    expect([effect.verdict, effect.by.length]).toEqual([verdict, by]);
    // The matrix must find the same verdicts among the permissions of all roles.
    const others = ['*', 'content.post.list'].map((of) => permission(of, 'deny', { role: 'other' }));
    const byRole = permissionsByRole([...others, ...permissions]);
    const each = ACTIONS.map((action) => effectOf(permissions, `content.post.${action}`).verdict);
    expect(verdictsOf(byRole.get('r'), 'post').split(' ')).toEqual(each);
    expect(byRole.get('r')?.all ?? []).toEqual(permissions);
  });

  it('lists resources that the matrix does not show', () => {
    const all = ['content.post.list', 'content.post.*', 'schema.list', 'content.gone.get'].map((of) =>
      permission(of, 'allow'),
    );
    expect(otherResources(all, ['post'])).toEqual(['content.gone.get', 'content.post.*', 'schema.list']);
  });
});

describe('pending permission changes', () => {
  const current = [
    permission('content.post.list', 'allow'),
    permission('content.post.get', 'record.a', { fields: { read: ['b', 'a'] } }),
  ];
  const want = (draft: Draft, resource: string, value: string | null, fields: Permission['fields'] = null): Draft =>
    withGrant(draft, current, { role: 'r', resource, grant: value === null ? null : { value, fields } });

  it('are empty if nothing changed, in any order of fields', () => {
    expect(want(NO_CHANGES, 'content.post.list', 'allow')).toEqual(NO_CHANGES);
    expect(want(NO_CHANGES, 'content.post.get', 'record.a', { read: ['a', 'b'] })).toEqual(NO_CHANGES);
    expect(want(NO_CHANGES, 'content.post.create', null)).toEqual(NO_CHANGES);
    expect(want(want(NO_CHANGES, 'content.post.list', 'deny'), 'content.post.list', 'allow')).toEqual(NO_CHANGES);
  });

  it('become creates, updates and deletes with the ETags that were read', () => {
    let draft = want(NO_CHANGES, 'content.post.create', 'allow');
    draft = want(draft, 'content.post.list', null);
    draft = want(draft, 'content.post.get', 'record.a', { read: ['a'] });
    const changes = changesOf(draft, current, [{ id: 'r', name: 'editor' }]);
    const tags = new Map(current.map(({ id }) => [id, `"${id}"`]));
    expect(operationsOf(changes, tags)).toEqual([
      [
        {
          op: 'create',
          schema: 'permission',
          data: { role: { id: 'r' }, resource: 'content.post.create', value: 'allow', fields: null },
        },
        {
          op: 'update',
          schema: 'permission',
          id: current[1]?.id,
          data: { value: 'record.a', fields: { read: ['a'] } },
          if_match: `"${current[1]?.id}"`,
        },
        { op: 'delete', schema: 'permission', id: current[0]?.id, if_match: `"${current[0]?.id}"` },
      ],
    ]);
    expect(
      permissionsOf(draft, current)
        .map(({ resource }) => resource)
        .sort(),
    ).toEqual(['content.post.create', 'content.post.get']);
  });

  it('are split into batches of 50', () => {
    const draft = Array.from({ length: 120 }, (_, index) => `content.s${index}.get`).reduce(
      (next, resource) => want(next, resource, 'allow'),
      NO_CHANGES,
    );
    expect(operationsOf(changesOf(draft, current, []), new Map()).map(({ length }) => length)).toEqual([50, 50, 20]);
  });

  it('copy the permissions on a schema, and delete others', () => {
    const all = [...current, permission('content.tag.delete', 'allow', { role: 's' })];
    const draft = withCopy(NO_CHANGES, all, { role: 'r', schema: 'post' }, { role: 's', schema: 'tag' });
    expect(
      [...draft.values()].map(({ role, resource, grant }) => `${role} ${resource} ${grant?.value ?? ''}`).sort(),
    ).toEqual(['s content.tag.delete ', 's content.tag.get record.a', 's content.tag.list allow']);
    expect(withCopy(draft, all, { role: 'r', schema: 'post' }, { role: 's', schema: 'tag' })).toEqual(draft);
  });
});

describe('a permission that another user may have changed', () => {
  const before = permission('content.post.list', 'allow');
  const now = { role_id: 'r', resource: 'content.post.list', value: 'allow', fields: null };

  it.each<[string, Partial<typeof now>, boolean]>([
    ['nothing', {}, true],
    ['its value', { value: 'deny' }, false],
    ['its resource', { resource: 'content.post.delete' }, false],
    ['its role', { role_id: 'other' }, false],
  ])('compares role, resource and grant: %s', (_, changed, isSame) => {
    expect(isUnchanged(before, { ...now, ...changed })).toBe(isSame);
  });
});

describe('completions of a rule', () => {
  const field = (name: string, type: string, rest: object = {}) => ({
    name,
    type,
    many: false,
    target: undefined,
    ...rest,
  });
  const post = {
    name: 'post',
    fields: [
      field('title', 'string'),
      field('author', 'relation', { target: 'author' }),
      field('tags', 'relation', { target: 'tag', many: true }),
    ],
  };
  const author = { name: 'author', fields: [field('name', 'string'), field('born', 'time')] };
  const schemas = new Map([post, author].map((item) => [item.name, item as unknown as RecordSchema]));
  const at = (text: string, schema = 'post') =>
    ruleCompletionsAt(text, text.length, schemas.get(schema) ?? null, schemas);

  it.each<[string, readonly string[]]>([
    ['rec', ['record']],
    ['record.', ['title', 'author', 'tags']],
    ['auth.id == record.author.', ['name', 'born']],
    ['record.author.n', ['name']],
    ['record.title.s', ["startsWith('')"]],
    ['record.tags.', ['exists(x, )', 'all(x, )', 'size()']],
    ['record.author.born.', []],
    ['record.nobody.', []],
    ['auth.r', ['roles']],
    ['auth.id.', []],
    ['other.', []],
  ])('after %s', (text, options) => {
    expect(at(text).options).toEqual(options);
  });

  it('omit record for resources without one, and replace the typed prefix', () => {
    expect(at('rec', 'none').options).toEqual([]);
    expect(at('record.author.na').from).toBe('record.author.'.length);
  });
});
