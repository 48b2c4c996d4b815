import 'reflect-metadata';
import { CommanderError } from 'commander';
import { AppError } from '../../kernel/errors/app-error.js';
import type { CommandApplication } from './command-context.js';
import { CommandContext } from './command-context.js';
import { CommandError } from './cli.public.js';
import { createProgram } from './program.js';

/** Runs the command line, and sets the exit code: 0 success, 1 failure, 2 invalid usage. */
export async function runProgram(argv: readonly string[], application: CommandApplication): Promise<void> {
  try {
    const program = await createProgram(argv, new CommandContext(application));
    await program.parseAsync([...argv]);
    process.exitCode ??= 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.stderr.write(`${await describe(error, application)}\n`);
    process.exitCode = 1;
  }
}

async function describe(error: unknown, application: CommandApplication): Promise<string> {
  if (error instanceof CommandError || error instanceof AppError) return error.message;
  return application.describeFault(error);
}
