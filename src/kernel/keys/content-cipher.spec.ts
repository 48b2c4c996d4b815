import { deriveNamedKey } from './key-derivation.js';
import { ContentCipher } from './content-cipher.js';

describe('ContentCipher', () => {
  const cipher = new ContentCipher(deriveNamedKey('a key that is long enough to be one', 'mail-outbox'));
  const content = { name: 'Ann', variables: { link: 'https://lintel.test/activate?token=abc', expiresInMinutes: 5 } };

  it('decrypts what it encrypted', () => {
    expect(cipher.open('row 1', cipher.seal('row 1', content))).toEqual(content);
  });

  it('encrypts the same content differently each time', () => {
    const [one, two] = [cipher.seal('row 1', content), cipher.seal('row 1', content)];
    expect(one.equals(two)).toBe(false);
    expect(one.toString('latin1')).not.toMatch(/Ann|token|link/);
  });

  it('rejects content of another row, another key, or with changes', () => {
    const sealed = cipher.seal('row 1', content);
    const other = new ContentCipher(deriveNamedKey('another key that is long enough too', 'mail-outbox'));
    expect(cipher.open('row 2', sealed)).toBeNull();
    expect(other.open('row 1', sealed)).toBeNull();
    for (let at = 0; at < sealed.length; at += 1) {
      const touched = Buffer.from(sealed);
      touched[at] = (touched[at] ?? 0) ^ 1;
      expect(cipher.open('row 1', touched)).toBeNull();
    }
    for (const length of [0, 1, 27, 28, sealed.length - 1]) {
      expect(cipher.open('row 1', sealed.subarray(0, length))).toBeNull();
    }
  });
});
