import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeBinaries, locateBinaries, platformName, programPath } from './binaries.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';

describe('locateBinaries', () => {
  it('finds the binaries for this platform', () => {
    const { directory, majorVersion } = locateBinaries(tmpdir());
    expect(majorVersion).toBe(18);
    for (const program of ['initdb', 'pg_ctl', 'postgres'] as const) {
      expect(() => accessSync(programPath(directory, program), constants.X_OK)).not.toThrow();
    }
  });

  it('reports an unsupported platform', () => {
    const locate = (): unknown => locateBinaries(tmpdir(), platformName('sunos', 'sparc'));
    expect(locate).toThrow(EmbeddedPostgresError);
    expect(locate).toThrow(/sunos-sparc/);
  });
});

describe('completeBinaries', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'embedded-postgres-programs-'));
    mkdirSync(join(root, 'native', 'bin'), { recursive: true });
    mkdirSync(join(root, 'native', 'lib'));
    for (const program of ['initdb', 'pg_ctl', 'postgres'] as const) {
      writeFileSync(programPath(join(root, 'native', 'bin'), program), '');
      chmodSync(programPath(join(root, 'native', 'bin'), program), 0o644);
    }
  });

  afterEach(() => rmSync(root, { recursive: true }));

  it('repairs the files that a blocked install script omitted, repeatedly', () => {
    writeFileSync(join(root, 'native', 'lib', 'libpq.so.5.18'), '');
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
    writeFileSync(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links));
    completeBinaries(root);
    completeBinaries(root);
    expect(readlinkSync(join(root, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(lstatSync(programPath(join(root, 'native', 'bin'), 'postgres')).mode & 0o111).toBe(0o111);
  });

  it('needs no list of symlinks', () => {
    expect(() => completeBinaries(root)).not.toThrow();
  });
});
