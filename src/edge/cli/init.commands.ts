import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type CommandContext, CommandError, print } from '../../platform/cli/cli.public.js';
import { initialFiles, type PackageDescription } from './initial-files.js';

interface Options {
  readonly package?: string;
  readonly json?: boolean;
}

/** Defines `init`, only in the command line of the service. */
export function addInitCommands(program: Command, { application }: CommandContext): void {
  if (!application.isService) return;
  program
    .command('init')
    .description('write a small application of your own, with a test')
    .argument('<directory>', 'a new one; its name is that of the application')
    .option(
      '--package <spec>',
      'version range or address of Lintel, such as file:../lintel.tgz; default: the version of this command',
    )
    .option('--json', 'print JSON')
    .action(init);
}

function init(directory: string, { json, package: source }: Options): void {
  const target = resolve(directory);
  const name = basename(target);
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name))
    throw new CommandError(
      `${name} is no name of a package: small letters, digits, dots, hyphens and underscores are.`,
    );
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new CommandError(`${directory} is there already, and not empty: give the name of a new directory.`);
  const manifest = createRequire(import.meta.url).resolve('lintel/package.json');
  const lintel = JSON.parse(readFileSync(manifest, 'utf8')) as PackageDescription;
  const variables = readFileSync(join(dirname(manifest), '.env.example'), 'utf8');
  const files = initialFiles({ name, lintel, source: source ?? `^${lintel.version}`, variables });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  const next = ['', `  cd ${directory}`, '  npm install', '  npm test', '  npm start', ''].join('\n');
  print(json, { directory: target, files: Object.keys(files) }, `${name} is written.\n${next}`);
}
