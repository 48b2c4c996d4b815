import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { ContentCipher } from './content-cipher.js';
import { deriveNamedKey, keyedHash, type KeyPurpose } from './key-derivation.js';

const SEALED = /^v1\.([0-9a-f]{16})\.([\w-]+)$/;

/** The current application key, which encrypts, and the previous keys, which only decrypt. */
export class KeyRing {
  /** Id of the current key. */
  readonly keyId: string;
  private readonly appKeys: ReadonlyMap<string, string>;

  constructor(appKey: string, previous: readonly string[] = []) {
    this.keyId = idOf(appKey);
    this.appKeys = new Map([appKey, ...previous].map((key) => [idOf(key), key]));
  }

  has(keyId: string): boolean {
    return this.appKeys.has(keyId);
  }

  cipher({ name }: KeyPurpose<'survives'>): RingCipher {
    const keys = [...this.appKeys].map(
      ([id, appKey]) => [id, new ContentCipher(deriveNamedKey(appKey, name))] as const,
    );
    return new RingCipher(this.keyId, new Map(keys));
  }

  mac({ name }: KeyPurpose<'survives'>): RingMac {
    const keys = [...this.appKeys].map(([id, appKey]) => [id, deriveNamedKey(appKey, name)] as const);
    return new RingMac(this.keyId, new Map(keys));
  }
}

/** Signs texts that are kept longer than a key: `v1.<key id>.<HMAC-SHA-256>`. */
export class RingMac {
  constructor(
    private readonly keyId: string,
    private readonly keys: ReadonlyMap<string, KeyObject>,
  ) {}

  sign(text: string): string {
    const key = this.keys.get(this.keyId);
    return `v1.${this.keyId}.${key === undefined ? '' : keyedHash(key, text)}`;
  }

  /** Returns whether the signature is valid; null if its key is not available. */
  check(text: string, signature: string): boolean | null {
    const [, id = '', mac = ''] = SEALED.exec(signature) ?? [];
    if (id === '') return false;
    const key = this.keys.get(id);
    if (key === undefined) return null;
    const [one, other] = [Buffer.from(keyedHash(key, text)), Buffer.from(mac)];
    return one.length === other.length && timingSafeEqual(one, other);
  }
}

/**
 * Encrypts values that are stored longer than a key. The text is `v1.<key id>.<ciphertext>`. The key id separates values of other keys from
 * changed ones, and lets SQL find them.
 */
export class RingCipher {
  constructor(
    /** Id of the current key. */
    readonly keyId: string,
    private readonly ciphers: ReadonlyMap<string, ContentCipher>,
  ) {}

  /** @param label the context of the content. Decryption needs the same label. */
  seal(label: string, content: unknown): string {
    const sealed = this.ciphers.get(this.keyId)?.seal(label, content);
    return `v1.${this.keyId}.${sealed?.toString('base64url')}`;
  }

  /** Returns the content; null for another label, a missing key, or a changed text. */
  open(label: string, sealed: string): unknown {
    const [, id = '', content = ''] = SEALED.exec(sealed) ?? [];
    return this.ciphers.get(id)?.open(label, Buffer.from(content, 'base64url')) ?? null;
  }

  /** Returns whether the key of a text is missing. Another instance, or an operator, may have it. */
  isOfAnotherKey(sealed: string): boolean {
    const id = SEALED.exec(sealed)?.[1];
    return id !== undefined && !this.ciphers.has(id);
  }
}

function idOf(appKey: string): string {
  return deriveNamedKey(appKey, 'key-id').export().toString('hex', 0, 8);
}
