import { addressOf } from '../../api/base-path.js';
import type { OnSent } from '../../api/upload.js';
import { authorized } from '../../session/authorized.js';
import { Reference } from './record-changes.js';

/** A file as it is answered once it was sent. */
interface SentFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/** Pictures that a browser is shown: the service lets it show no others. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Returns whether a page can show a file as a picture. */
export const isPicture = ({ details }: Reference): boolean => SHOWN.includes(String(details?.['type']));

/** Sends files at once, and tells how much of all of them has left. */
export function sendFiles(files: readonly File[], onSent: OnSent): Promise<Reference[]> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const parts = files.map(() => 0);
  return Promise.all(
    files.map((file, at) =>
      sendFile(file, (part) => {
        parts[at] = part;
        onSent(total === 0 ? 1 : files.reduce((sum, { size }, one) => sum + size * (parts[one] ?? 0), 0) / total);
      }),
    ),
  );
}

/** Sends a file, which is kept for a day unless a record leads to it by then. */
async function sendFile(file: File, onSent: OnSent): Promise<Reference> {
  const body = new Blob([file], { type: file.type || 'application/octet-stream' });
  // Letters of every script (RFC 8187); what stands in the way of it is no letter.
  const name = encodeURIComponent(file.name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const headers = { 'Content-Disposition': `attachment; filename*=UTF-8''${name}` };
  const { data } = await authorized<{ data: SentFile }>('POST', '/api/files', body, { headers, onSent });
  return new Reference('id', data.id, data.name, { type: data.type, size: data.size });
}

/** Returns where a file is read without a token, for an hour, or until who asked signs out: on the origin of the page, which alone its policy lets it show. */
export async function fileAddress(id: string, disposition: 'inline' | 'attachment'): Promise<string> {
  const path = `/api/files/${encodeURIComponent(id)}`;
  const { data } = await authorized<{ data: { url: string } }>('POST', `${path}/url`, {
    disposition,
    session: true,
  });
  return addressOf(`${path}${new URL(data.url, location.origin).search}`);
}
