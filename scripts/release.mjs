/**
 * Publishes the package to the configured npm registry. Without `--publish` it is a dry run: it checks, packs and lists, but sends nothing.
 *
 *     node scripts/release.mjs [--publish]
 *
 * Rejects uncommitted changes, a version without a section in CHANGELOG.md, and placeholder addresses. Provenance needs a CI job with an
 * identity token: elsewhere npm refuses to publish.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.mjs';

const isPublished = process.argv.includes('--publish');
const { version, homepage, repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
const faults = [];
const { stdout: changes } = spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
if (changes !== '') faults.push('There are uncommitted changes.');
if (!changelog.includes(`\n## ${version}`)) faults.push(`CHANGELOG.md has no section "## ${version}".`);
for (const address of [homepage, repository.url])
  if (/\.example\b/.test(address))
    faults.push(`package.json has a placeholder address: ${address}. Enter the public one.`);
for (const fault of faults) console.error(fault);
if (isPublished && faults.length > 0) process.exit(1);

// Pre-releases get the tag `next`, so they are only installed on request. `prepack` builds.
const options = ['publish', '--tag', version.includes('-') ? 'next' : 'latest'];
if (!isPublished) options.push('--dry-run', '--provenance=false');
const { status } = spawnSync('npm', options, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
process.exit(status ?? 1);
