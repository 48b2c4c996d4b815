import { crc32 } from 'node:zlib';
import { zipArchive } from './zip-archive.js';

describe('a zip archive', () => {
  const archive = zipArchive([
    { name: 'a.json', content: '{"ü": 1}\n' },
    { name: 'b.json', content: '' },
  ]);

  test('ends with a directory that leads to every file, with its size and checksum', () => {
    const end = archive.length - 22;
    expect(archive.readUInt32LE(end)).toBe(0x06054b50);
    expect(archive.readUInt16LE(end + 10)).toBe(2);
    let at = archive.readUInt32LE(end + 16);
    const found = [1, 2].map(() => {
      expect(archive.readUInt32LE(at)).toBe(0x02014b50);
      const [size, length] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
      const name = archive.toString('utf8', at + 46, at + 46 + length);
      const local = archive.readUInt32LE(at + 42);
      expect(archive.readUInt32LE(local)).toBe(0x04034b50);
      const data = archive.subarray(local + 30 + length, local + 30 + length + size);
      expect(archive.readUInt32LE(at + 16)).toBe(crc32(data));
      at += 46 + length;
      return [name, data.toString('utf8')];
    });
    expect(at).toBe(end);
    expect(found).toEqual([
      ['a.json', '{"ü": 1}\n'],
      ['b.json', ''],
    ]);
  });

  test('is the same for the same files, and can be empty', () => {
    expect(zipArchive([])).toHaveLength(22);
    expect(zipArchive([{ name: 'a', content: 'b' }])).toEqual(zipArchive([{ name: 'a', content: 'b' }]));
  });
});
