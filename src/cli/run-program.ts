import { CommanderError } from 'commander';
import { AppError } from '../kernel/app-error.js';
import { describeStartFault } from '../start-faults.js';
import { CommandError } from './command-error.js';
import { createProgram } from './program.js';

/** Exit codes: 0 done, 1 the command failed, 2 it was called wrongly. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  try {
    const program = await createProgram(argv);
    await program.parseAsync([...argv]);
    process.exitCode ??= 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    const known = error instanceof CommandError || error instanceof AppError;
    process.stderr.write(`${known ? error.message : describeStartFault(error)}\n`);
    process.exitCode = 1;
  }
}
