import fc from 'fast-check';
import { covers, cutTo, decide, type PermissionRule } from './permission-rules.js';

describe('covers', () => {
  it.each([
    ['auth.me', 'auth.me', true],
    ['auth.*', 'auth.me', true],
    ['*', 'auth.me', true],
    ['content.post.*', 'content.post.list', true],
    ['content.post.*', 'content.poster.list', false],
    ['content.post', 'content.post.list', false],
    ['content.*', 'content', false],
    ['auth.m*', 'auth.me', false],
    ['auth.me', 'auth.me.x', false],
    ['', 'auth.me', false],
  ])('%s over %s: %s', (pattern, resource, expected) => expect(covers(pattern, resource)).toBe(expected));
});

describe('decide', () => {
  const rule = (resource: string, value: string) => ({ resource, value });

  it('denies by default', () => expect(decide([rule('a.b', 'allow')], 'a.c')).toEqual({ kind: 'deny' }));
  it('allows by a prefix', () => expect(decide([rule('a.*', 'allow')], 'a.c')).toEqual({ kind: 'allow' }));
  it('lets deny win over allow, in any order and breadth', () => {
    expect(decide([rule('a.c', 'allow'), rule('a.*', 'deny')], 'a.c')).toEqual({ kind: 'deny' });
    expect(decide([rule('a.*', 'deny'), rule('a.c', 'allow')], 'a.c')).toEqual({ kind: 'deny' });
  });
  it('combines rules, once each', () => {
    expect(decide([rule('a.c', 'x'), rule('a.*', 'y'), rule('*', 'x')], 'a.c')).toEqual({
      kind: 'rules',
      rules: [['x'], ['y']],
    });
  });
});

describe('cutTo', () => {
  const rule = (resource: string, value = 'allow'): PermissionRule => ({ resource, value });
  const owner = (...permissions: PermissionRule[]) => ({ root: false, permissions, roles: ['r'] });
  const root = { root: true, permissions: [], roles: ['admin'] };

  it('keeps what both allow', () => {
    const { permissions } = cutTo([rule('content.*')], owner(rule('content.post.list'), rule('schema.list')));
    expect(decide(permissions, 'content.post.list')).toEqual({ kind: 'allow' });
    expect(decide(permissions, 'content.post.get')).toEqual({ kind: 'deny' });
    expect(decide(permissions, 'schema.list')).toEqual({ kind: 'deny' });
  });

  it('does not exceed the owner, by any scope', () => {
    for (const scope of ['*', 'content.*', 'content.post.*', 'content.post.delete']) {
      const { permissions } = cutTo([rule(scope)], owner(rule('content.post.list')));
      expect([scope, decide(permissions, 'content.post.delete')]).toEqual([scope, { kind: 'deny' }]);
    }
  });

  it('allows nothing without scopes', () => {
    for (const permissions of [owner(rule('*')), root])
      expect(decide(cutTo([], permissions).permissions, 'content.post.list')).toEqual({ kind: 'deny' });
  });

  it('lets a root account do what the scopes allow, without root', () => {
    const cut = cutTo([rule('*')], root);
    expect(cut).toMatchObject({ root: false, roles: ['admin'] });
    expect(decide(cut.permissions, 'content.post.list')).toEqual({ kind: 'allow' });
  });

  it('requires the rule of the owner and that of the scope', () => {
    const { permissions } = cutTo([rule('a.*', 'x'), rule('a.b')], owner(rule('a.b', 'y'), rule('a.c', 'z')));
    expect(decide(permissions, 'a.b')).toEqual({ kind: 'rules', rules: [['y', 'x'], ['y']] });
    expect(decide(permissions, 'a.c')).toEqual({ kind: 'rules', rules: [['z', 'x']] });
  });

  it('denies what either denies', () => {
    expect(decide(cutTo([rule('*')], owner(rule('*'), rule('a.b', 'deny'))).permissions, 'a.b').kind).toBe('deny');
    expect(decide(cutTo([rule('*'), rule('a.*', 'deny')], owner(rule('*'))).permissions, 'a.b').kind).toBe('deny');
    expect(decide(cutTo([rule('*'), rule('a.*', 'deny')], root).permissions, 'a.b').kind).toBe('deny');
  });

  it('equals both decisions, for any permissions, scopes and resource', () => {
    const name = fc.constantFrom('*', 'a.*', 'a.b', 'a.b.*', 'a.b.c', 'ab.c', 'b.*', 'b.c');
    const rules = fc.array(fc.record({ resource: name, value: fc.constantFrom('allow', 'allow', 'deny') }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(rules, rules, name, fc.boolean(), (permissions, scopes, resource, isRoot) => {
        const granted = isRoot ? root : owner(...permissions);
        const mayOwner = isRoot || decide(permissions, resource).kind === 'allow';
        const expected = mayOwner && decide(scopes, resource).kind === 'allow' ? 'allow' : 'deny';
        expect(decide(cutTo(scopes, granted).permissions, resource).kind).toBe(expected);
      }),
    );
  });
});
