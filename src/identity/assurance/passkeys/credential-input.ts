import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { defineLimit } from '../../../kernel/limits.js';

const BASE64URL = /^[\w-]+$/;
/** Longest credential id of the standard: 1023 bytes, encoded in base64url. */
const MAX_ID = defineLimit(1_364, 'Second factors', 'characters of the id of a passkey', 'passkey_invalid');
const MAX_PART = defineLimit(
  16_384,
  'Second factors',
  'characters of one part of the response of a passkey',
  'passkey_invalid',
);
/** @internal */
const MAX_TRANSPORTS = 10;

/** WebAuthn, "CollectedClientData". */
interface ClientData {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
}

/** A well-formed credential from a client. Nothing in it is verified. */
export interface CredentialInput<Response> {
  readonly response: Response;
  readonly clientData: ClientData;
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses the result of `navigator.credentials.create`. Returns null if it is malformed. */
export function readRegistration(value: unknown): CredentialInput<RegistrationResponseJSON> | null {
  return readCredential(value, (parts) => {
    const attestationObject = partOf(parts['attestationObject']);
    if (attestationObject === null) return null;
    return { attestationObject, transports: transportsOf(parts['transports']) as never };
  });
}

/** Parses the result of `navigator.credentials.get`. Returns null if it is malformed. */
export function readAssertion(value: unknown): CredentialInput<AuthenticationResponseJSON> | null {
  return readCredential(value, (parts) => {
    const [authenticatorData, signature] = [partOf(parts['authenticatorData']), partOf(parts['signature'])];
    const { userHandle: handle } = parts;
    const userHandle = handle === undefined || handle === null || handle === '' ? undefined : partOf(handle);
    if (authenticatorData === null || signature === null || userHandle === null) return null;
    return { authenticatorData, signature, userHandle };
  });
}

/** In a form post, the credential is a JSON string. `readParts` returns null for malformed parts of the response. */
function readCredential<Parts extends object>(value: unknown, readParts: (parts: Fields) => Parts | null) {
  const { id, rawId, type, response } = fieldsOf(typeof value === 'string' ? parseJsonOrNull(value) : value);
  const clientDataJSON = partOf(fieldsOf(response)['clientDataJSON']);
  if (typeof id !== 'string' || id.length > MAX_ID || !BASE64URL.test(id)) return null;
  if (rawId !== id || type !== 'public-key' || clientDataJSON === null) return null;
  const clientData = readClientData(clientDataJSON);
  const parts = readParts(fieldsOf(response));
  if (clientData === null || parts === null) return null;
  const credential = { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  return { response: { ...credential, response: { clientDataJSON, ...parts } }, clientData };
}

/** Parses the client data. A ceremony in a foreign frame is rejected, whether the browser reports `crossOrigin` or `topOrigin`. */
function readClientData(encoded: string): ClientData | null {
  const text = Buffer.from(encoded, 'base64url').toString();
  const { type, challenge, origin, crossOrigin, topOrigin } = fieldsOf(parseJsonOrNull(text));
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') return null;
  if ((crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined) return null;
  return { type, challenge, origin };
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function partOf(value: unknown): string | null {
  return typeof value === 'string' && value.length <= MAX_PART && BASE64URL.test(value) ? value : null;
}

function transportsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const names = value.filter((name): name is string => typeof name === 'string' && /^[a-z-]{1,20}$/.test(name));
  return [...new Set(names)].slice(0, MAX_TRANSPORTS);
}
