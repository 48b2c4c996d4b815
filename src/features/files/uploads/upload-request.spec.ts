import { Readable } from 'node:stream';
import { uploadSource } from './upload-request.js';

const HEADERS = { 'content-type': 'multipart/form-data; boundary=x' };
const CHUNK_BYTES = 65_536;

describe('a form with many parts', () => {
  it.each([
    ['boundaries', '--x\r\n'],
    ['empty parts', '--x\r\n\r\n\r\n'],
    ['parts without a name', '--x\r\nContent-Type: text/plain\r\n\r\na\r\n'],
    ['fields', '--x\r\nContent-Disposition: form-data; name="sha256"\r\n\r\na\r\n'],
  ])('is rejected before it is parsed: %s', async (_name, part) => {
    const bytes = Buffer.from(part.repeat(10_000_000 / part.length));
    let read = 0;
    const body = new Readable({
      highWaterMark: CHUNK_BYTES,
      read(): void {
        const chunk = bytes.subarray(read, read + CHUNK_BYTES);
        read += chunk.length;
        this.push(chunk.length === 0 ? null : chunk);
      },
    });
    await expect(uploadSource(body, HEADERS)).rejects.toMatchObject({ code: 'validation_failed' });
    expect(read).toBeLessThan(10 * CHUNK_BYTES);
  });
});
