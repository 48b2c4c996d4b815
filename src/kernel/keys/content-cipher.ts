import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts JSON for the service itself (AES-256-GCM, NIST SP 800-38D, a random 96-bit IV each): pending mails, list cursors. Readers learn
 * nothing of the content. Writers cannot change it, or move it to another label.
 */
export class ContentCipher {
  constructor(private readonly key: KeyObject) {}

  /** @param label the context of the content. Decryption needs the same label. */
  seal(label: string, content: unknown): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, iv).setAAD(Buffer.from(label));
    const body = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  }

  /** Returns the content; null for another key or label, or a changed text. */
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
