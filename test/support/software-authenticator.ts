import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Authenticator data flags (WebAuthn §6.1). */
export const FLAGS = { userPresent: 1, userVerified: 4, backupEligible: 8, backedUp: 16, attested: 64 } as const;

export const ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const;

export type Algorithm = keyof typeof ALGORITHMS;

/** Changes to an authenticator response. */
export interface Twist {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly flags?: number;
  readonly signCount?: number;
  readonly userHandle?: string | null;
  readonly credentialId?: string;
  readonly isForged?: boolean;
  readonly change?: (authenticatorData: Buffer) => Buffer;
  readonly attestation?: Readonly<{ fmt: string; attStmt: ReadonlyMap<string, Encodable> }>;
}

type Encodable = number | string | Buffer | ReadonlyMap<string | number, Encodable> | readonly Encodable[];

export interface CeremonyOptions {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

/** One in-memory passkey with a real key. It responds like a browser with an authenticator. */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(16).toString('base64url');
  signCount = 0;
  /** Whether the sign counter increases. Synchronised passkeys do not count. */
  counts = true;
  flags: number = FLAGS.userPresent | FLAGS.userVerified;
  userHandle = '';
  private readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

  constructor(
    private readonly origin: string,
    private readonly algorithm: Algorithm = 'ES256',
  ) {
    this.keys = newKeys(algorithm);
  }

  create({ challenge, user }: CeremonyOptions, twist: Twist = {}): object {
    this.userHandle = user?.id ?? '';
    const clientDataJSON = this.clientData('webauthn.create', challenge, twist);
    const id = Buffer.from(this.credentialId, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, encode(this.publicKey())]);
    const data = this.authenticatorData(FLAGS.attested, credential, twist);
    const { fmt, attStmt } = twist.attestation ?? { fmt: 'none', attStmt: new Map<string, Encodable>() };
    const attestationObject = encode(
      new Map<string, Encodable>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', data],
      ]),
    );
    const response = {
      clientDataJSON: text(clientDataJSON),
      attestationObject: text(attestationObject),
      transports: ['internal'],
    };
    return this.credential(response, twist);
  }

  get({ challenge }: CeremonyOptions, twist: Twist = {}): object {
    if (this.counts) this.signCount += 1;
    const clientDataJSON = this.clientData('webauthn.get', challenge, twist);
    const authenticatorData = this.authenticatorData(0, Buffer.alloc(0), twist);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]);
    const { privateKey } = twist.isForged === true ? newKeys(this.algorithm) : this.keys;
    const signature = sign(this.algorithm === 'EdDSA' ? null : 'sha256', signed, privateKey);
    const userHandle = twist.userHandle === undefined ? this.userHandle : twist.userHandle;
    const response = {
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
    };
    return this.credential({ ...response, ...(userHandle !== null && { userHandle }) }, twist);
  }

  private credential(response: object, { credentialId = this.credentialId }: Twist): object {
    return { id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {}, response };
  }

  private clientData(type: string, challenge: string, twist: Twist): Buffer {
    const { crossOrigin = false, topOrigin, origin = this.origin } = twist;
    const clientDataFields = {
      type: twist.type ?? type,
      challenge: twist.challenge ?? challenge,
      origin,
      crossOrigin,
      topOrigin,
    };
    return Buffer.from(JSON.stringify(clientDataFields));
  }

  private authenticatorData(added: number, rest: Buffer, twist: Twist): Buffer {
    const { rpId = new URL(this.origin).hostname, flags = this.flags, signCount = this.signCount } = twist;
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | added);
    head.writeUInt32BE(signCount, 1);
    const data = Buffer.concat([createHash('sha256').update(rpId).digest(), head, rest]);
    return twist.change?.(data) ?? data;
  }

  get storedKey(): Buffer {
    return encode(this.publicKey());
  }

  /** Returns the public key in COSE format (RFC 9053). */
  private publicKey(): ReadonlyMap<number, Encodable> {
    const jwk = this.keys.publicKey.export({ format: 'jwk' });
    const part = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name] ?? '', 'base64url');
    const alg = ALGORITHMS[this.algorithm];
    if (this.algorithm === 'ES256')
      return new Map<number, Encodable>([
        [1, 2],
        [3, alg],
        [-1, 1],
        [-2, part('x')],
        [-3, part('y')],
      ]);
    if (this.algorithm === 'EdDSA')
      return new Map<number, Encodable>([
        [1, 1],
        [3, alg],
        [-1, 6],
        [-2, part('x')],
      ]);
    return new Map<number, Encodable>([
      [1, 3],
      [3, alg],
      [-1, part('n')],
      [-2, part('e')],
    ]);
  }
}

function newKeys(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return algorithm === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function text(bytes: Buffer): string {
  return bytes.toString('base64url');
}

/** Encodes CBOR (RFC 8949), limited to the types that credentials use. */
function encode(value: Encodable): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<string | number, Encodable>)];
    return Buffer.concat([head(5, entries.length), ...entries.flatMap((entry) => entry.map(encode))]);
  }
  const list = value as readonly Encodable[];
  return Buffer.concat([head(4, list.length), ...list.map(encode)]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
