import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

const ROOT = join(__dirname, '../../../..');
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

describe('the embedded PostgreSQL in the built product', () => {
  it('finds its dependencies among those of the product', () => {
    const product = manifestOf('.');
    const embedded = manifestOf('packages/embedded-postgres');
    expect(product.dependencies).toMatchObject(embedded.dependencies);
    expect(product.optionalDependencies).toEqual(embedded.optionalDependencies);
  });
});
