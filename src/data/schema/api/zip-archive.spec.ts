import { strToU8, unzipSync, zipSync } from 'fflate';
import { crc32, inflateRawSync } from 'node:zlib';
import { AppError } from '../../../kernel/errors/app-error.js';
import { readZip, zipArchive } from './zip-archive.js';

const FILES = [
  { name: 'a.json', content: '{"ü": 1}\n' },
  { name: 'b.json', content: '' },
];

function refusal(archive: Buffer): string {
  try {
    readZip(archive);
    return 'none';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

/** Returns an archive with one uncompressed file, whose bytes appear unchanged in the archive. */
function storedArchive(name: string, content: string): Buffer {
  return Buffer.from(zipSync({ [name]: strToU8(content) }, { level: 0 }));
}

describe('a zip archive', () => {
  const archive = zipArchive(FILES);

  test('has a directory with every file, its size and checksum', () => {
    const end = archive.length - 22;
    expect(archive.readUInt32LE(end)).toBe(0x06054b50);
    expect(archive.readUInt16LE(end + 10)).toBe(2);
    let at = archive.readUInt32LE(end + 16);
    for (const { name, content } of FILES) {
      const data = Buffer.from(content);
      expect(archive.readUInt32LE(at)).toBe(0x02014b50);
      expect(archive.readUInt32LE(at + 16)).toBe(crc32(data));
      expect(archive.readUInt32LE(at + 24)).toBe(data.length);
      const [packed, length] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
      expect(archive.toString('utf8', at + 46, at + 46 + length)).toBe(name);
      const local = archive.readUInt32LE(at + 42);
      expect(archive.readUInt32LE(local)).toBe(0x04034b50);
      const start = local + 30 + length + archive.readUInt16LE(local + 28);
      expect(inflateRawSync(archive.subarray(start, start + packed))).toEqual(data);
      at += 46 + length;
    }
    expect(at).toBe(end);
  });

  test('with changed content is rejected by its checksum', () => {
    const changed = storedArchive('a.json', '{"limit": 10}');
    changed[changed.indexOf('10')] = '9'.charCodeAt(0);
    expect(Buffer.from(unzipSync(changed)['a.json']!).toString()).toBe('{"limit": 90}');
    expect(refusal(changed)).toBe('body_malformed');
  });

  test('is the same for the same files, and can be empty', () => {
    expect(zipArchive([])).toHaveLength(22);
    expect(zipArchive(FILES)).toEqual(zipArchive(FILES));
  });

  test('is read, also with a trailing comment', () => {
    expect(readZip(archive)).toEqual(FILES);
    expect(readZip(zipArchive([]))).toEqual([]);
    expect(readZip(Buffer.concat([archive, Buffer.from('a comment')]))).toEqual(FILES);
  });

  test('that is invalid or damaged at any position is rejected', () => {
    expect(refusal(Buffer.from('{}'))).toBe('body_malformed');
    expect(refusal(Buffer.alloc(0))).toBe('body_malformed');
    for (let at = 0; at < archive.length; at += 1) {
      const broken = Buffer.from(archive);
      broken[at] = (broken[at] ?? 0) ^ 0xff;
      expect(['none', 'body_malformed', 'body_too_large']).toContain(refusal(broken));
      expect(['body_malformed', 'body_too_large']).toContain(refusal(archive.subarray(0, at)));
    }
  });

  test('that would expand too much is rejected, whatever size it declares', () => {
    const bomb = zipArchive([{ name: 'x', content: '0'.repeat(17 * 1024 * 1024) }]);
    expect(refusal(bomb)).toBe('body_too_large');
    const at = bomb.readUInt32LE(bomb.length - 22 + 16);
    bomb.writeUInt32LE(10, at + 24);
    expect(refusal(bomb)).toBe('body_malformed');
  });
});
