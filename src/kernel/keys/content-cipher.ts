import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals JSON for ourselves (AES-256-GCM, NIST SP 800-38D, a random 96-bit IV each): a mail that waits in the database, a
 * place in a list. Readers learn nothing of it, and writers cannot change it or move it to where it does not belong.
 */
export class ContentCipher {
  constructor(private readonly key: KeyObject) {}

  /** @param label what the content belongs to; opening it needs the same. */
  seal(label: string, content: unknown): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, iv).setAAD(Buffer.from(label));
    const body = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  }

  /** Returns the content, or null if it was sealed by another key or for another label, or was changed. */
  open(label: string, sealed: Buffer): unknown {
    if (sealed.length < IV_BYTES + TAG_BYTES) return null;
    const iv = sealed.subarray(0, IV_BYTES);
    const tag = sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.key, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(label))
      .setAuthTag(tag);
    try {
      const body = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(body.toString('utf8')) as unknown;
    } catch {
      return null;
    }
  }
}
