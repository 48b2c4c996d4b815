import { createHash } from 'node:crypto';
import type { TestClient } from './test-client.js';

/** Minimum size of every part except the last, in bytes. */
export const PART = 5 * 1_048_576;

export interface AnnouncedPart {
  readonly number: number;
  readonly size: number;
  readonly etag: string | null;
  readonly url: string;
  readonly headers: Record<string, string>;
}

export interface AnnouncedUpload {
  readonly id: string;
  readonly parts: AnnouncedPart[];
  readonly expires_at: string;
  readonly urls_expire_at: string;
  readonly file: { readonly id: string; readonly sha256: string } | null;
}

export interface DirectAnswer {
  readonly status: number;
  readonly error: string | undefined;
  readonly faults: readonly string[];
  readonly data: AnnouncedUpload & Record<string, unknown>;
}

export function announcement(bytes: Uint8Array, more: object = {}): Record<string, unknown> {
  const checksums = piecesOf(bytes).map((piece) => createHash('sha256').update(piece).digest('hex'));
  return { name: 'a.bin', size: bytes.length, part_size: PART, checksums, ...more };
}

export function piecesOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / PART) }, (_, at) => bytes.subarray(at * PART, (at + 1) * PART));
}

export async function announce(client: TestClient, bytes: Uint8Array, more: object = {}): Promise<DirectAnswer> {
  return answerOf(await client.post('/api/files/direct', announcement(bytes, more)));
}

export async function stateOf(client: TestClient, id: string): Promise<DirectAnswer> {
  return answerOf(await client.get(`/api/files/direct/${id}`));
}

export async function put(
  { url, headers }: Pick<AnnouncedPart, 'url' | 'headers'>,
  bytes: Uint8Array,
): Promise<{ status: number; etag: string }> {
  const answer = await fetch(url, { method: 'PUT', headers, body: bytes } as RequestInit);
  await answer.arrayBuffer();
  return { status: answer.status, etag: answer.headers.get('etag') ?? '' };
}

export async function putAll(
  { parts }: AnnouncedUpload,
  bytes: Uint8Array,
): Promise<{ number: number; etag: string }[]> {
  const pieces = piecesOf(bytes);
  return Promise.all(
    parts.map(async (part) => {
      const { status, etag } = await put(part, pieces[part.number - 1]!);
      if (status !== 200) throw new Error(`The store answers ${status} to part ${part.number}.`);
      return { number: part.number, etag };
    }),
  );
}

export async function complete(client: TestClient, id: string, parts: unknown): Promise<DirectAnswer> {
  return answerOf(await client.post(`/api/files/direct/${id}/complete`, { parts }));
}

export async function sendDirect(client: TestClient, bytes: Uint8Array, more: object = {}): Promise<DirectAnswer> {
  const announced = await announce(client, bytes, more);
  if (announced.status !== 201) return announced;
  return complete(client, announced.data.id, await putAll(announced.data, bytes));
}

export function outcomeOf({ status, error, faults }: DirectAnswer): unknown[] {
  return [status, error, ...faults];
}

function answerOf({ status, body }: { status: number; body: unknown }): DirectAnswer {
  const { data = {} } = body as { data?: Record<string, unknown> };
  const errors = (data['errors'] ?? []) as { field: string; code: string }[];
  const faults = errors.map(({ field, code }) => `${field}: ${code}`);
  return { status, error: data['error'] as string | undefined, faults, data: data as DirectAnswer['data'] };
}
