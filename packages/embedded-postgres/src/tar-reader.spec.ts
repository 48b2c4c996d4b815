import { Readable } from 'node:stream';
import { readTar } from './tar-reader.js';

interface Entry {
  readonly path: string;
  readonly content?: Buffer;
  readonly type?: string;
  readonly size?: string;
}

function header({ path, content = Buffer.alloc(0), type = '0', size }: Entry): Buffer {
  const block = Buffer.alloc(512);
  block.write(path, 0);
  block.write(size ?? `${content.length.toString(8).padStart(11, '0')} `, 124, 'latin1');
  block.write(type, 156);
  block.write('ustar', 257);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function archive(...entries: Entry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const { content = Buffer.alloc(0) } = entry;
    return [header(entry), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

async function read(bytes: Buffer, pieces: number): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const chunks = Array.from({ length: Math.ceil(bytes.length / pieces) }, (_, at) =>
    bytes.subarray(at * pieces, (at + 1) * pieces),
  );
  await readTar(Readable.from(chunks), async ({ path, isDirectory }) => {
    found[path] = isDirectory ? 'directory' : '';
    return Promise.resolve({
      write: async (chunk) => Promise.resolve(void (found[path] += chunk.toString('latin1'))),
      end: () => Promise.resolve(),
    });
  });
  return found;
}

describe('an archive', () => {
  const bytes = archive(
    { path: 'base/', type: '5' },
    { path: 'PG_VERSION', content: Buffer.from('18\n') },
    { path: 'empty' },
    { path: 'base/1', content: Buffer.alloc(1300, 'x') },
  );

  it.each([1, 7, 512, 513, 100_000])('is read in chunks of %i bytes', async (pieces) => {
    const found = await read(bytes, pieces);
    expect(found).toEqual({ base: 'directory', PG_VERSION: '18\n', empty: '', 'base/1': 'x'.repeat(1300) });
  });

  it('is rejected if it is truncated at any byte', async () => {
    for (const end of [0, 1, 511, 512, 600, 1024, 1500, 2500, bytes.length - 1024])
      await expect(read(bytes.subarray(0, end), 512)).rejects.toThrow('it is truncated');
  });

  it('is rejected if a header was changed', async () => {
    const changed = Buffer.from(bytes);
    changed[3] = 'X'.charCodeAt(0);
    await expect(read(changed, 512)).rejects.toThrow('damaged');
  });

  it.each(['/etc/passwd', '../outside', 'base/../../outside', 'a\\..\\..\\b'])(
    'does not extract to %s',
    async (path) => {
      await expect(read(archive({ path, content: Buffer.from('!') }), 512)).rejects.toThrow(
        'a path outside the archive',
      );
    },
  );

  it.each(['1', '2', '3', '6', 'x', 'L'])('contains no links and devices (%s)', async (type) => {
    await expect(read(archive({ path: 'link', type }), 512)).rejects.toThrow('an entry of the type');
  });

  it('supports sizes beyond octal digits', async () => {
    const size = Buffer.alloc(12);
    size[0] = 0x80;
    size.writeUInt32BE(5, 8);
    const entry = { path: 'large', content: Buffer.from('12345'), size: size.toString('latin1') };
    expect(await read(archive(entry), 512)).toEqual({ large: '12345' });
  });
});
