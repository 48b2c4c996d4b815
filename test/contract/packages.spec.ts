import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { satisfies } from 'semver';

/** The oldest Node of `engines`, a common one, and the first of each later line with long support that the packages name. */
const VERSIONS = ['20.19.0', '20.20.2', '22.13.0', '24.11.0'];

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly engines?: { readonly node?: string } }>
  >;
}

describe('the lock file', () => {
  const { packages } = JSON.parse(readFileSync(join(__dirname, '../../package-lock.json'), 'utf8')) as LockFile;

  it.each(VERSIONS)('names no package that does not run on Node %s', (version) => {
    const refused = Object.entries(packages)
      .filter(([, { engines }]) => engines?.node !== undefined && !satisfies(version, engines.node))
      .map(([path, found]) => `${path} ${found.version} wants ${found.engines!.node}`);
    expect(refused).toEqual([]);
  });

  it('names no SDK of a cloud', () => {
    const names = Object.keys(packages).filter((path) =>
      /node_modules\/(@aws-sdk|@smithy|aws-sdk|@google-cloud|@azure)/.test(path),
    );
    expect(names).toEqual([]);
  });
});
