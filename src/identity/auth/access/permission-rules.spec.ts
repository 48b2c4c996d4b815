import { covers, decide } from './permission-rules.js';

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

  it('denies what nobody spoke of', () => expect(decide([rule('a.b', 'allow')], 'a.c')).toEqual({ kind: 'deny' }));
  it('allows by a prefix', () => expect(decide([rule('a.*', 'allow')], 'a.c')).toEqual({ kind: 'allow' }));
  it('lets deny beat allow, in any order and width', () => {
    expect(decide([rule('a.c', 'allow'), rule('a.*', 'deny')], 'a.c')).toEqual({ kind: 'deny' });
    expect(decide([rule('a.*', 'deny'), rule('a.c', 'allow')], 'a.c')).toEqual({ kind: 'deny' });
  });
  it('adds rules up, once each', () => {
    expect(decide([rule('a.c', 'x'), rule('a.*', 'y'), rule('*', 'x')], 'a.c')).toEqual({
      kind: 'rules',
      rules: ['x', 'y'],
    });
  });
});
