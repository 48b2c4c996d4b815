import { callbackQuery, readCallback } from './callback-parameters.js';

describe('readCallback', () => {
  it('reads the OAuth parameters only', () => {
    expect(readCallback({ state: 's', code: 'c', iss: 'i', user: '{}', session_state: 'x' })).toEqual({
      state: 's',
      code: 'c',
      error: undefined,
      issuer: 'i',
    });
  });

  it.each([
    undefined,
    null,
    'state=x',
    [],
    {},
    { code: 'c' },
    { state: ['s'] },
    { state: { toString: 's' } },
    { state: 1 },
    { state: null },
    { state: 's', code: ['c'] },
    { state: 's', error: [] },
    { state: 's', iss: {} },
    { state: 's', code: 'x'.repeat(8_193) },
  ])('rejects %j', (input) => {
    expect(() => readCallback(input)).toThrow(expect.objectContaining({ code: 'state_invalid' }));
  });
});

describe('callbackQuery', () => {
  it('repeats the OAuth parameters, encoded, and nothing else', () => {
    expect(callbackQuery({ state: 'a&b', code: 'c d', user: 'x' })).toBe('state=a%26b&code=c+d');
    for (const input of [null, { state: ['s'] }, { state: 's', code: {} }, 'x']) expect(callbackQuery(input)).toBe('');
  });
});
