import { type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { readRegistration } from './credential-input.js';
import { isDerSignature } from './der-signature.js';

const CHALLENGE_KEY = defineKeyPurpose('passkey-challenge', 'dies');
const CHALLENGE_SECONDS = 300;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const SIZE = NONCE_BYTES + TIME_BYTES + MAC_BYTES;
/** Only one of several concurrent uses succeeds, across all instances. */
const USE = `INSERT INTO used_passkey_challenges (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id`;

/** EdDSA, ES256 and RS256 (COSE). Every supported runtime verifies them, so a passkey works on all instances. */
const ALGORITHMS = [-8, -7, -257];

/** `add` registers a passkey, `prove` is a second factor of a known account, `sign-in` starts without an account name. */
export type ChallengeUse = 'add' | 'prove' | 'sign-in';

export type RegisteredPasskey = Pick<NewPasskey, 'credentialId' | 'transports'>;

/** A verified passkey (WebAuthn Level 3, "public key credential"). */
export interface NewPasskey {
  /** In base64url. */
  readonly credentialId: string;
  /** COSE key (RFC 9052). */
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  /** Model of the authenticator; zeros if it is not disclosed. */
  readonly aaguid: string;
  readonly rpId: string;
  /** Whether it verified its user, by PIN or biometrics. */
  readonly verifiesUser: boolean;
  /** Whether it can be stored on several devices. It never changes. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/** Content of a signature. The caller must still compare it with the stored passkey. */
export interface Signed {
  readonly signCount: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/**
 * Ceremonies of passkeys (WebAuthn) and their challenges. A challenge is random and signed by the server for one purpose and one account. It
 * expires after five minutes and can be used once. Nothing is stored before an answer arrives, because any client can request challenges.
 */
@Injectable()
export class PasskeyCeremonies {
  /** Host that passkeys are bound to (WebAuthn, "RP ID"). */
  readonly rpId: string;
  private readonly origin: string;
  private readonly rpName: string;
  private readonly key: KeyObject;

  constructor(
    @Inject(CONFIG) { appKey, appUrl, appName }: Config,
    private readonly clock: Clock,
  ) {
    const { origin, hostname } = new URL(appUrl);
    this.key = deriveKey(appKey, CHALLENGE_KEY);
    this.origin = origin;
    this.rpId = hostname;
    this.rpName = appName;
  }

  /** Returns the options of `navigator.credentials.create`. Existing passkeys of the account are excluded. */
  creationOptions(
    { userId, email }: { readonly userId: string; readonly email: string },
    registered: readonly RegisteredPasskey[],
  ): PublicKeyCredentialCreationOptionsJSON {
    return {
      rp: { id: this.rpId, name: this.rpName },
      user: { id: userHandleOf(userId), name: email, displayName: email },
      challenge: this.issueChallenge('add', userId),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: CHALLENGE_SECONDS * 1_000,
      attestation: 'none',
      excludeCredentials: registered.map(descriptorOf),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
    };
  }

  /** Without `registered`, any passkey of this host is accepted. @param userId of the account; empty for a sign-in. */
  requestOptions(
    use: ChallengeUse,
    userId: string,
    registered: readonly RegisteredPasskey[] = [],
  ): PublicKeyCredentialRequestOptionsJSON {
    return {
      challenge: this.issueChallenge(use, userId),
      rpId: this.rpId,
      timeout: CHALLENGE_SECONDS * 1_000,
      userVerification: 'preferred',
      allowCredentials: registered.map(descriptorOf),
    };
  }

  /** Consumes the challenge of a new passkey and verifies the passkey; null if anything is wrong. */
  async verifyNew(manager: EntityManager, userId: string, credential: unknown): Promise<NewPasskey | null> {
    const input = readRegistration(credential);
    if (input === null) return null;
    const { response, clientData } = input;
    const { challenge: expectedChallenge } = clientData;
    if (!(await this.consumeChallenge(manager, 'add', userId, expectedChallenge))) return null;
    const library = await loadLibrary();
    try {
      if (!isUnattested(response, library)) return null;
      const { verified, registrationInfo: info } = await library.verifyRegistrationResponse({
        response,
        expectedChallenge,
        ...this.expected(),
        requireUserVerification: false,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (!verified || info.credential.id !== response.id) return null;
      return {
        credentialId: info.credential.id,
        publicKey: Buffer.from(info.credential.publicKey),
        signCount: info.credential.counter,
        transports: response.response.transports ?? [],
        aaguid: info.aaguid,
        rpId: this.rpId,
        verifiesUser: info.userVerified,
        backupEligible: info.credentialDeviceType === 'multiDevice',
        backedUp: info.credentialBackedUp,
      };
    } catch {
      // The library throws on any invalid input.
      return null;
    }
  }

  /** Null if anything is wrong. The caller checks the counter: a low one means a copied passkey only if the signature is valid. */
  async verifySignature(
    response: AuthenticationResponseJSON,
    expectedChallenge: string,
    { credentialId: id, publicKey }: Pick<NewPasskey, 'credentialId' | 'publicKey'>,
  ): Promise<Signed | null> {
    const library = await loadLibrary();
    try {
      const { verified, authenticationInfo: info } = await library.verifyAuthenticationResponse({
        response,
        expectedChallenge,
        ...this.expected(),
        requireUserVerification: false,
        credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
      });
      if (!verified || !isWellEncoded(response, publicKey, library)) return null;
      return {
        signCount: info.newCounter,
        userVerified: info.userVerified,
        backupEligible: info.credentialDeviceType === 'multiDevice',
        backedUp: info.credentialBackedUp,
      };
    } catch {
      return null;
    }
  }

  /** False if it was not issued here for this purpose and account, has expired, or was used. It is consumed even if the rest is invalid. */
  async consumeChallenge(
    manager: EntityManager,
    use: ChallengeUse,
    userId: string,
    challenge: string,
  ): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== SIZE || bytes.toString('base64url') !== challenge) return false;
    const signed = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
    if (!timingSafeEqual(bytes.subarray(signed.length), this.macOf(use, userId, signed))) return false;
    const expiresAtMs = signed.readUIntBE(NONCE_BYTES, TIME_BYTES);
    if (expiresAtMs <= this.clock.nowMs()) return false;
    const id = signed.subarray(0, NONCE_BYTES).toString('base64url');
    return (await manager.query<unknown[]>(USE, [id, new Date(expiresAtMs)])).length === 1;
  }

  private issueChallenge(use: ChallengeUse, userId: string): string {
    const signed = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(TIME_BYTES)]);
    signed.writeUIntBE(this.clock.nowMs() + CHALLENGE_SECONDS * 1_000, NONCE_BYTES, TIME_BYTES);
    return Buffer.concat([signed, this.macOf(use, userId, signed)]).toString('base64url');
  }

  private macOf(use: ChallengeUse, userId: string, signed: Buffer): Buffer {
    return Buffer.from(keyedHash(this.key, `${use} ${userId} ${signed.toString('base64url')}`), 'base64url');
  }

  private expected() {
    return { expectedOrigin: this.origin, expectedRPID: this.rpId };
  }
}

/** Returns the WebAuthn user handle of an account. It is the account id, which reveals nothing about the user. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** Loads the library at the first ceremony, so that the start and the commands do not load its certificate parsers. */
async function loadLibrary() {
  const [server, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  return { ...server, ...helpers };
}

type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** The server requests no attestation. Others are rejected unread, because they can contain URLs that a verifier would fetch. */
function isUnattested({ response }: RegistrationResponseJSON, { decodeAttestationObject }: Library): boolean {
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}

/** The library parses ES256 signatures leniently, so one signature would have many encodings. */
function isWellEncoded(
  { response }: AuthenticationResponseJSON,
  publicKey: Buffer,
  { cose, decodeCredentialPublicKey }: Library,
): boolean {
  const algorithm = decodeCredentialPublicKey(new Uint8Array(publicKey)).get(cose.COSEKEYS.alg);
  return algorithm !== cose.COSEALG.ES256 || isDerSignature(Buffer.from(response.signature, 'base64url'));
}

function descriptorOf({ credentialId: id, transports }: RegisteredPasskey) {
  return { id, type: 'public-key' as const, transports: transports as never };
}
