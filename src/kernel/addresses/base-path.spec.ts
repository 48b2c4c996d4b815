import { basePathFault, basePathOf, withBasePath, withoutBasePath } from './base-path.js';

describe('basePathOf', () => {
  it.each([
    ['https://example.com', ''],
    ['https://example.com/', ''],
    ['https://example.com/backend', '/backend'],
    ['https://example.com/a/b/', '/a/b'],
  ])('of %s is %j', (appUrl, path) => expect(basePathOf(appUrl)).toBe(path));
});

describe('basePathFault', () => {
  it.each(['', '/backend', '/a/b.c/d_e~f-g', '/backend/api', '/apis', '/.hidden'])('accepts %j', (path) => {
    expect(basePathFault(path)).toBeNull();
  });

  it.each([
    '/api',
    '/api/v1',
    '/dash',
    '/auth/x',
    '/healthz',
    '/readyz',
    '/.well-known/x',
    '/a b',
    '/a;b',
    '/%61',
    '/ä',
    '/..',
    '/a/../b',
    '/.',
    '//a',
    '/a//b',
  ])('rejects %j', (path) => expect(basePathFault(path)).not.toBeNull());
});

describe('withoutBasePath', () => {
  it.each([
    ['/backend', '/'],
    ['/backend?a=/backend', '/?a=/backend'],
    ['/backend/', '/'],
    ['/backend/api/auth/me?x=1', '/api/auth/me?x=1'],
    ['/backend/backend/x', '/backend/x'],
    ['/api/auth/me', '/api/auth/me'],
    ['/backends/api', '/backends/api'],
    ['/BACKEND/api', '/BACKEND/api'],
    ['*', '*'],
  ])('%s becomes %s', (target, path) => expect(withoutBasePath(target, '/backend')).toBe(path));

  it('changes nothing without a base path', () => expect(withoutBasePath('/api', '')).toBe('/api'));
});

describe('withBasePath', () => {
  it.each([
    ['/dash', '/backend/dash'],
    ['/', '/backend/'],
    ['/backend/dash', '/backend/dash'],
    ['/backends', '/backend/backends'],
    ['//evil.example/x', '//evil.example/x'],
    ['https://example.com/x', 'https://example.com/x'],
    ['myapp://callback', 'myapp://callback'],
  ])('%s becomes %s', (path, address) => expect(withBasePath(path, '/backend')).toBe(address));
});
