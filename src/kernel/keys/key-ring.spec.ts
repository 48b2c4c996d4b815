import { defineKeyPurpose } from './key-derivation.js';
import { KeyRing } from './key-ring.js';

const [OLD, NEW, NEWEST] = [
  'the first key, of more than 32 bytes',
  'the second key, of 32 bytes or more',
  'the third key, of even more bytes',
];
const SECRET = defineKeyPurpose('key-ring.spec', 'survives');
const OTHER = defineKeyPurpose('key-ring.spec.other', 'survives');

describe('KeyRing', () => {
  const before = new KeyRing(OLD);
  const after = new KeyRing(NEW, [OLD]);
  const content = { secret: 'JBSWY3DPEHPK3PXP' };

  it('decrypts with a previous key, and encrypts with the current one', () => {
    const sealed = before.cipher(SECRET).seal('row 1', content);
    expect(sealed.startsWith(`v1.${before.keyId}.`)).toBe(true);
    expect(after.cipher(SECRET).open('row 1', sealed)).toEqual(content);
    expect(after.cipher(SECRET).seal('row 1', content).startsWith(`v1.${after.keyId}.`)).toBe(true);
    expect(new KeyRing(NEWEST, [NEW, OLD]).cipher(SECRET).open('row 1', sealed)).toEqual(content);
  });

  it('decrypts with a future key once it is configured: instances change in turn', () => {
    const sealed = after.cipher(SECRET).seal('row 1', content);
    expect(before.cipher(SECRET).open('row 1', sealed)).toBeNull();
    expect(new KeyRing(OLD, [NEW]).cipher(SECRET).open('row 1', sealed)).toEqual(content);
  });

  it('distinguishes a missing key from changed content', () => {
    const sealed = before.cipher(SECRET).seal('row 1', content);
    const without = new KeyRing(NEW).cipher(SECRET);
    expect([without.open('row 1', sealed), without.isOfAnotherKey(sealed)]).toEqual([null, true]);
    const cipher = after.cipher(SECRET);
    const touched = `${sealed.slice(0, -2)}${sealed.at(-2) === 'A' ? 'B' : 'A'}${sealed.at(-1)}`;
    for (const text of [touched, sealed.slice(0, -4), `${sealed}AAAA`])
      expect([text, cipher.open('row 1', text), cipher.isOfAnotherKey(text)]).toEqual([text, null, false]);
    for (const text of [
      '',
      'v1',
      'v1..',
      'v2.0123456789abcdef.AAAA',
      `v1.${after.keyId}.`,
      `v1.${after.keyId}.=`,
      'plain text',
    ])
      expect([text, cipher.open('row 1', text), cipher.isOfAnotherKey(text)]).toEqual([text, null, false]);
  });

  it('rejects another row, another purpose, and the name of another key', () => {
    const sealed = before.cipher(SECRET).seal('row 1', content);
    expect(after.cipher(SECRET).open('row 2', sealed)).toBeNull();
    expect(after.cipher(OTHER).open('row 1', sealed)).toBeNull();
    expect(after.cipher(SECRET).open('row 1', sealed.replace(before.keyId, after.keyId))).toBeNull();
  });

  it('verifies signatures of a previous key, and distinguishes a missing key from another text', () => {
    const signature = before.mac(SECRET).sign('a text');
    expect(signature.startsWith(`v1.${before.keyId}.`)).toBe(true);
    const mac = after.mac(SECRET);
    expect(mac.sign('a text').startsWith(`v1.${after.keyId}.`)).toBe(true);
    expect([mac.check('a text', signature), mac.check('a text', mac.sign('a text'))]).toEqual([true, true]);
    expect([mac.check('another', signature), after.mac(OTHER).check('a text', signature)]).toEqual([false, false]);
    expect(new KeyRing(NEW).mac(SECRET).check('a text', signature)).toBeNull();
    for (const forged of [
      '',
      'v1',
      signature.slice(0, -1),
      `${signature}A`,
      signature.replace(before.keyId, after.keyId),
    ])
      expect([forged, mac.check('a text', forged)]).toEqual([forged, false]);
  });

  it('has an id that reveals nothing, and is the same on every instance', () => {
    expect(new KeyRing(OLD, [NEW]).keyId).toBe(before.keyId);
    expect(before.keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(before.keyId).not.toBe(after.keyId);
  });
});
