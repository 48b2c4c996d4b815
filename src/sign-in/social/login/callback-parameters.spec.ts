import { toCallbackQuery, readCallbackParameters } from './callback-parameters.js';

describe('readCallbackParameters', () => {
  it('reads the OAuth parameters only', () => {
    expect(readCallbackParameters({ state: 's', code: 'c', iss: 'i', user: '{}', session_state: 'x' })).toEqual({
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
    expect(() => readCallbackParameters(input)).toThrow(expect.objectContaining({ code: 'state_invalid' }));
  });
});

describe('toCallbackQuery', () => {
  it('repeats the OAuth parameters, encoded, and nothing else', () => {
    expect(toCallbackQuery({ state: 'a&b', code: 'c d', user: 'x' })).toBe('state=a%26b&code=c+d');
    for (const input of [null, { state: ['s'] }, { state: 's', code: {} }, 'x'])
      expect(toCallbackQuery(input)).toBe('');
  });
});
