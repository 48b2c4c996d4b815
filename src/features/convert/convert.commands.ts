import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Conversion, SourceFile } from '../../../packages/convert/src/convert.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { type CommandContext, CommandError, print } from '../../platform/cli/cli.public.js';

interface ConvertOptions {
  readonly out?: string;
  readonly roles?: string;
  readonly previous?: string;
  readonly json?: boolean;
}

export function addConvertCommand(program: Command, context: CommandContext): void {
  program
    .command('schema:convert')
    .description(
      'convert a project of another product to schema files, and list everything that cannot be converted; needs no database',
    )
    .argument('<product>', 'directus, fastschema, pocketbase or strapi')
    .argument('<path>', 'directory, zip archive or file of the project')
    .option('--out <dir>', 'output directory for the definitions, one file per schema')
    .option('--roles <file>', 'output file for the roles, if the project has access rules')
    .option('--previous <path>', 'the previously converted state of the project, to detect renames')
    .option('--json', 'print JSON')
    .action((product: string, path: string, options: ConvertOptions) => convert(context, { product, path }, options));
}

interface Project {
  readonly product: string;
  readonly path: string;
}

async function convert(context: CommandContext, { product, path }: Project, options: ConvertOptions): Promise<void> {
  const { CONVERTERS, CONVERTER_NAMES, isConverterName } = await import('../../../packages/convert/src/convert.js');
  if (!isConverterName(product))
    throw new CommandError(`There is no converter for ${product}. Available: ${CONVERTER_NAMES.join(', ')}.`);
  const [files, previous] = [await read(path), options.previous === undefined ? [] : await read(options.previous)];
  // System schemas are declared by the modules that own them, so the application must be loaded first.
  await context.application.load();
  const { declaredSystemSchemas } = await import('../../kernel/system-schema.js');
  const conversion = CONVERTERS[product](files, { system: declaredSystemSchemas(), previous });
  printNotes(conversion);
  await check(path, conversion);
  const written = await write(conversion, options);
  const { schemas, renames, roles, notes } = conversion;
  const value = { schemas, renames, roles, notes, written };
  print(options.json, value, report(conversion, written, options));
}

async function read(path: string): Promise<readonly SourceFile[]> {
  if (!existsSync(path)) throw new CommandError(`${path} does not exist.`);
  const { readProject } = await import('./read-project.js');
  try {
    return readProject(path);
  } catch (error) {
    if (error instanceof AppError || error instanceof RangeError) throw new CommandError(`${path}: ${error.message}`);
    throw new CommandError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
}

/** Uses standard error, so that definitions can be piped. */
function printNotes({ notes }: Conversion): void {
  for (const { file, pointer, message } of notes) process.stderr.write(`${file} ${pointer}: ${message}\n`);
}

/** Throws a SchemaFilesError with every error of the definitions. */
async function check(path: string, conversion: Conversion): Promise<void> {
  const { checkDefinitions } = await import('../../data/schema/schema-files.service.js');
  const { submissionOf } = await import('../../../packages/convert/src/convert.js');
  await checkDefinitions(path, submissionOf(conversion));
}

async function write(conversion: Conversion, { out, roles }: ConvertOptions): Promise<readonly string[]> {
  const { definitionFiles } = await import('../../../packages/convert/src/convert.js');
  const files =
    out === undefined ? [] : definitionFiles(conversion).map(({ name, text }) => [join(out, name), text] as const);
  const rolesText = `${JSON.stringify({ roles: conversion.roles }, null, 2)}\n`;
  const all = roles === undefined || conversion.roles.length === 0 ? files : [...files, [roles, rolesText] as const];
  try {
    if (out !== undefined) mkdirSync(out, { recursive: true });
    for (const [name, text] of all) writeFileSync(name, text);
  } catch (error) {
    throw new CommandError(`${out ?? roles} cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  }
  return all.map(([name]) => name);
}

function report(conversion: Conversion, written: readonly string[], { out, roles }: ConvertOptions): string {
  const { schemas, notes } = conversion;
  if (out === undefined) return JSON.stringify({ schemas }, null, 2);
  const next = [
    `Show the plan:     schema:plan ${out}`,
    `Apply it:          schema:apply ${out}`,
    ...(roles !== undefined && written.includes(roles)
      ? [`Set permissions:   roles:seed --file ${roles} --dry-run`]
      : []),
  ];
  return [
    `${schemas.length} schemas were written to ${out}. ${notes.length} notes list the parts that were not converted.`,
    ...next,
  ].join('\n');
}
