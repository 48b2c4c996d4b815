import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { apiKeyHash, makeApiKey } from './api-key-format.js';

describe('the form of API keys', () => {
  it('is the kind, 30 random characters and 6 of a checksum', () => {
    expect(makeApiKey('pat').key).toMatch(/^lin_pat_[0-9A-Za-z]{36}$/);
    expect(makeApiKey('svc').key).toMatch(/^lin_svc_[0-9A-Za-z]{36}$/);
  });

  it('has the checksum that the documentation describes', () => {
    const start = `lin_pat_${'a'.repeat(30)}`;
    expect(apiKeyHash(`${start}3ahze8`)).not.toBeNull();
    expect(apiKeyHash(`${start}3ahze9`)).toBeNull();
  });

  it('shows four of the random characters', () => {
    const { key, prefix } = makeApiKey('svc');
    expect(prefix).toHaveLength(12);
    expect(key.startsWith(prefix)).toBe(true);
  });

  it('is kept as its plain SHA-256', () => {
    const { key, keyHash } = makeApiKey('pat');
    expect(keyHash).toBe(createHash('sha256').update(key).digest('hex'));
    expect(apiKeyHash(key)).toBe(keyHash);
  });

  it('never comes twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => makeApiKey('pat').key)).size).toBe(1_000);
  });

  it('is refused with any one character changed, left out, added or swapped', () => {
    const { key } = makeApiKey('pat');
    const place = fc.nat({ max: key.length - 1 });
    fc.assert(
      fc.property(place, fc.constantFrom(...'0Aaz_ -é\n'), (at, character) => {
        const spellings = [
          key.slice(0, at) + character + key.slice(at + 1),
          key.slice(0, at) + key.slice(at + 1),
          key.slice(0, at) + character + key.slice(at),
          key.slice(0, at) + (key[at + 1] ?? '') + key[at] + key.slice(at + 2),
        ].filter((other) => other !== key);
        for (const other of spellings) expect([other, apiKeyHash(other)]).toEqual([other, null]);
      }),
    );
  });

  it('is refused with any one of its characters replaced by any other', () => {
    const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_';
    for (const kind of ['pat', 'svc'] as const) {
      const { key } = makeApiKey(kind);
      const taken = [...key].flatMap((own, at) =>
        [...letters]
          .filter((letter) => letter !== own)
          .map((letter) => key.slice(0, at) + letter + key.slice(at + 1))
          .filter((other) => apiKeyHash(other) !== null),
      );
      expect(taken).toEqual([]);
    }
  });

  it.each(['', 'lin_', 'lin_pat_', `lin_adm_${'a'.repeat(36)}`, `LIN_PAT_${'a'.repeat(36)}`])('is not %j', (text) =>
    expect(apiKeyHash(text)).toBeNull(),
  );

  it('takes another kind for another key', () => {
    const { key } = makeApiKey('pat');
    expect(apiKeyHash(key.replace('pat', 'svc'))).toBeNull();
  });
});
