import { addressOf } from '../../api/base-path.js';
import type { OnSent } from '../../api/upload.js';
import { authorized } from '../../session/authorized.js';
import { Reference } from './record-changes.js';

interface SentFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/** Image types that the service delivers for inline display. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

export const isImage = ({ details }: Reference): boolean => IMAGE_TYPES.includes(String(details?.['type']));

export function sendFiles(files: readonly File[], onSent: OnSent): Promise<Reference[]> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const parts = files.map(() => 0);
  return Promise.all(
    files.map((file, index) =>
      sendFile(file, (part) => {
        parts[index] = part;
        onSent(
          total === 0 ? 1 : files.reduce((sum, { size }, partIndex) => sum + size * (parts[partIndex] ?? 0), 0) / total,
        );
      }),
    ),
  );
}

/** Uploads a file. The server deletes it after a day unless a record refers to it. */
async function sendFile(file: File, onSent: OnSent): Promise<Reference> {
  const body = new Blob([file], { type: file.type || 'application/octet-stream' });
  // RFC 8187 percent-encoding, for names in any script.
  const name = encodeURIComponent(file.name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const headers = { 'Content-Disposition': `attachment; filename*=UTF-8''${name}` };
  const { data } = await authorized<{ data: SentFile }>('POST', '/api/files', body, { headers, onSent });
  return new Reference('id', data.id, data.name, { type: data.type, size: data.size });
}

/**
 * Returns a URL that reads a file without a token. It is valid for an hour, or until the user signs out. It has the origin of the page,
 * because the content security policy allows no other.
 */
export async function fileAddress(id: string, disposition: 'inline' | 'attachment'): Promise<string> {
  const path = `/api/files/${encodeURIComponent(id)}`;
  const { data } = await authorized<{ data: { url: string } }>('POST', `${path}/url`, {
    disposition,
    session: true,
  });
  return addressOf(`${path}${new URL(data.url, location.origin).search}`);
}
