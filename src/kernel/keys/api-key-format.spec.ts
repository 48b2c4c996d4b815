import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { apiKeyHash, createApiKey } from './api-key-format.js';

describe('the format of API keys', () => {
  it('is the kind, 30 random characters and a checksum of 6', () => {
    expect(createApiKey('pat').key).toMatch(/^lin_pat_[0-9A-Za-z]{36}$/);
    expect(createApiKey('svc').key).toMatch(/^lin_svc_[0-9A-Za-z]{36}$/);
  });

  it('has the documented checksum', () => {
    const start = `lin_pat_${'a'.repeat(30)}`;
    expect(apiKeyHash(`${start}3ahze8`)).not.toBeNull();
    expect(apiKeyHash(`${start}3ahze9`)).toBeNull();
  });

  it('shows four of the random characters', () => {
    const { key, prefix } = createApiKey('svc');
    expect(prefix).toHaveLength(12);
    expect(key.startsWith(prefix)).toBe(true);
  });

  it('is stored as its plain SHA-256', () => {
    const { key, keyHash } = createApiKey('pat');
    expect(keyHash).toBe(createHash('sha256').update(key).digest('hex'));
    expect(apiKeyHash(key)).toBe(keyHash);
  });

  it('is unique', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => createApiKey('pat').key)).size).toBe(1_000);
  });

  it('is rejected with any one character changed, removed, added or swapped', () => {
    const { key } = createApiKey('pat');
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

  it('is rejected with any one character replaced by any other', () => {
    const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_';
    for (const kind of ['pat', 'svc'] as const) {
      const { key } = createApiKey(kind);
      const mutations = [...key].flatMap((own, at) =>
        [...letters]
          .filter((letter) => letter !== own)
          .map((letter) => key.slice(0, at) + letter + key.slice(at + 1))
          .filter((other) => apiKeyHash(other) !== null),
      );
      expect(mutations).toEqual([]);
    }
  });

  it.each(['', 'lin_', 'lin_pat_', `lin_adm_${'a'.repeat(36)}`, `LIN_PAT_${'a'.repeat(36)}`])('is not %j', (text) =>
    expect(apiKeyHash(text)).toBeNull(),
  );

  it('treats another kind as another key', () => {
    const { key } = createApiKey('pat');
    expect(apiKeyHash(key.replace('pat', 'svc'))).toBeNull();
  });
});
