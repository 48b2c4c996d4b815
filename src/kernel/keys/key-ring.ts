import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { ContentCipher } from './content-cipher.js';
import { deriveNamedKey, keyedHash, type KeyPurpose } from './key-derivation.js';

const SEALED = /^v1\.([0-9a-f]{16})\.([\w-]+)$/;

/** The key of the application, which seals, and those before it, which still open what survives a change of key. */
export class KeyRing {
  /** Id of the key that seals. */
  readonly keyId: string;
  private readonly appKeys: ReadonlyMap<string, string>;

  constructor(appKey: string, previous: readonly string[] = []) {
    this.keyId = idOf(appKey);
    this.appKeys = new Map([appKey, ...previous].map((key) => [idOf(key), key]));
  }

  /** Returns whether a key of this id is there. */
  has(keyId: string): boolean {
    return this.appKeys.has(keyId);
  }

  /** Returns what seals and opens for one purpose. */
  cipher({ name }: KeyPurpose<'survives'>): RingCipher {
    const keys = [...this.appKeys].map(
      ([id, appKey]) => [id, new ContentCipher(deriveNamedKey(appKey, name))] as const,
    );
    return new RingCipher(this.keyId, new Map(keys));
  }

  /** Returns what signs and checks texts of one purpose. */
  mac({ name }: KeyPurpose<'survives'>): RingMac {
    const keys = [...this.appKeys].map(([id, appKey]) => [id, deriveNamedKey(appKey, name)] as const);
    return new RingMac(this.keyId, new Map(keys));
  }
}

/** Signs texts that are kept for longer than a key may live: `v1.<id of the key>.<HMAC-SHA-256>`. */
export class RingMac {
  constructor(
    private readonly keyId: string,
    private readonly keys: ReadonlyMap<string, KeyObject>,
  ) {}

  sign(text: string): string {
    const key = this.keys.get(this.keyId);
    return `v1.${this.keyId}.${key === undefined ? '' : keyedHash(key, text)}`;
  }

  /** Returns whether the text was signed so; null if the key is not there that would tell. */
  check(text: string, signature: string): boolean | null {
    const [, id = '', given = ''] = SEALED.exec(signature) ?? [];
    if (id === '') return false;
    const key = this.keys.get(id);
    if (key === undefined) return null;
    const [one, other] = [Buffer.from(keyedHash(key, text)), Buffer.from(given)];
    return one.length === other.length && timingSafeEqual(one, other);
  }
}

/**
 * Seals what is stored for longer than a key may live. The text is `v1.<id of the key>.<sealed>`, so that what another key has
 * sealed is told from what was changed, and found by a statement.
 */
export class RingCipher {
  constructor(
    /** Id of the key that seals. */
    readonly keyId: string,
    private readonly ciphers: ReadonlyMap<string, ContentCipher>,
  ) {}

  /** @param label what the content belongs to; opening it needs the same. */
  seal(label: string, content: unknown): string {
    const sealed = this.ciphers.get(this.keyId)?.seal(label, content);
    return `v1.${this.keyId}.${sealed?.toString('base64url')}`;
  }

  /** Returns the content; null if it was sealed for another label, by a key that is not there, or was changed. */
  open(label: string, sealed: string): unknown {
    const [, id = '', content = ''] = SEALED.exec(sealed) ?? [];
    return this.ciphers.get(id)?.open(label, Buffer.from(content, 'base64url')) ?? null;
  }

  /** Returns whether a sealed text names a key that is not there: another instance, or an operator, may have it. */
  isOfAnotherKey(sealed: string): boolean {
    const id = SEALED.exec(sealed)?.[1];
    return id !== undefined && !this.ciphers.has(id);
  }
}

/** Returns a name of a key that tells nothing of it. */
function idOf(appKey: string): string {
  return deriveNamedKey(appKey, 'key-id').export().toString('hex', 0, 8);
}
