import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileSweeper } from '../../src/features/files/file-sweeper.service.js';
import { personWith } from './content-fixture.js';
import { signedIn } from './people.js';
import { field, relation, schema } from './schema-definitions.js';
import type { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export interface Sent {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  readonly url: string;
}

export interface UploadAnswer {
  readonly status: number;
  readonly error: string | undefined;
  readonly data: Sent;
  readonly headers: Headers;
}

type SentBody = NonNullable<RequestInit['body']>;

export interface SendOptions {
  readonly token?: string | undefined;
  readonly type?: string;
  readonly name?: string;
  readonly query?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

export async function send(
  app: TestApp,
  body: SentBody,
  { token, type, name, query = '', method = 'POST', path = '/api/files', headers = {} }: SendOptions = {},
): Promise<UploadAnswer> {
  const disposition = name === undefined ? {} : { 'content-disposition': `attachment; filename="${name}"` };
  const answer = await fetch(`${app.url}${path}${query}`, {
    method,
    body,
    duplex: 'half',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...disposition,
      ...headers,
    },
  } as RequestInit);
  const text = await answer.text();
  const read = (text === '' ? {} : JSON.parse(text)) as { data: Sent & { error?: string } };
  return { status: answer.status, error: read.data?.error, data: read.data, headers: answer.headers };
}

export function sendForm(
  app: TestApp,
  fill: (form: FormData) => void,
  options: SendOptions = {},
): Promise<UploadAnswer> {
  const form = new FormData();
  fill(form);
  return send(app, form, options);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function stored(app: TestApp): string[] {
  try {
    const entries = readdirSync(join(app.config.dataDir, 'files'), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

export async function known(app: TestApp, state: string): Promise<string[]> {
  const rows = await app.sql<{ id: string }>('SELECT id FROM file_objects WHERE state = $1 ORDER BY id', [state]);
  return rows.map(({ id }) => id);
}

export async function sweep(app: TestApp, afterHours = 0): Promise<void> {
  if (afterHours > 0) app.clock.advance(afterHours * 3_600);
  await app.get(FileSweeper).sweep();
}

/** Posts with a cover and images, albums that require a cover, and chapters that are deleted with their post. */
function gallery(): unknown[] {
  return [
    schema('post', [
      field('bool', 'published', { default: false }),
      field('file', 'cover', { optional: true }),
      field('file', 'images', { multiple: true, optional: true }),
      relation('chapters', 'chapter', 'post', 'o2m', { owner: true }),
    ]),
    schema('chapter', [
      field('file', 'sketch', { optional: true }),
      relation('post', 'post', 'chapters', 'm2o', { on_delete: 'cascade' }),
    ]),
    schema('album', [field('file', 'cover')]),
  ];
}

/** Creates the schemas of {@link gallery} and an administrator. */
export async function makeGallery(app: TestApp): Promise<{ root: TestClient; token: string }> {
  const { token } = await signedIn(app, { roles: ['admin'] });
  const root = app.as(token);
  await root.post('/api/schema?back_refs=create', { schemas: gallery() }).expect(201);
  return { root, token };
}

/** Creates a user who may write posts and upload files, but may not read file records. */
export async function author(app: TestApp): Promise<{ client: TestClient; token: string; id: string }> {
  const { client, id } = await personWith(app, [
    { resource: 'content.post.*', value: 'allow' },
    { resource: 'content.file.create', value: 'allow' },
  ]);
  return { client, id, token: client.token ?? '' };
}

export interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly error: string | undefined;
}

export async function readFile(
  app: TestApp,
  path: string,
  { token, headers = {}, method = 'GET' }: SendOptions = {},
): Promise<ReadAnswer> {
  const url = `${app.url}${path.startsWith('/') ? path : `/api/files/${path}`}`;
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(url, { method, headers: { ...authorization, ...headers } });
  const body = Buffer.from(await answer.arrayBuffer());
  const isEnvelope = answer.status >= 400 && body.length > 0;
  const error = isEnvelope ? (JSON.parse(body.toString()) as { data: { error: string } }).data.error : undefined;
  return { status: answer.status, headers: answer.headers, body, error };
}
