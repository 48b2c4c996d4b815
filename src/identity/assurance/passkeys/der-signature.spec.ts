import { generateKeyPairSync, sign } from 'node:crypto';
import { isDerSignature } from './der-signature.js';

describe('an ECDSA signature', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signatures = Array.from({ length: 200 }, (_, at) => sign('sha256', Buffer.from([at]), privateKey));

  it('is accepted in its original encoding', () => {
    expect(signatures.filter((signature) => !isDerSignature(signature))).toEqual([]);
  });

  it('is rejected with another tag or length, or with additional bytes', () => {
    for (const signature of signatures) {
      for (const at of [0, 1, 2, 3]) {
        const changed = Buffer.from(signature);
        changed[at]! ^= 2;
        expect([at, isDerSignature(changed)]).toEqual([at, false]);
      }
      expect(isDerSignature(Buffer.concat([signature, Buffer.alloc(1)]))).toBe(false);
      expect(isDerSignature(signature.subarray(0, -1))).toBe(false);
    }
    expect(isDerSignature(new Uint8Array())).toBe(false);
  });
});
