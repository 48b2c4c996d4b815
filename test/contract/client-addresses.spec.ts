import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(__dirname, '../../src');
const READS = /remoteAddress|x-forwarded-for|x-real-ip|cf-connecting-ip/;

describe('the address of a client', () => {
  it('is read from headers in one file, and passed on for requests of a host', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
    const readers = files.filter(
      (file) =>
        file.endsWith('.ts') && !file.endsWith('.spec.ts') && READS.test(readFileSync(join(SOURCE, file), 'utf8')),
    );
    const hosts = join('application', 'host-requests.ts');
    expect(readers.sort()).toEqual([hosts, join('platform', 'http', 'client', 'client-address.ts')]);
  });
});
