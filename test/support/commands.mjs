/**
 * The command line of the built product, for tests of many commands that are not about processes: runs each command that is sent
 * as a process would, and answers how it ended and what it printed.
 */
import { runCommand } from '../../dist/src/run-command.js';

process.on('message', (args) => void perform(args));

async function perform(args) {
  const printed = { stdout: '', stderr: '' };
  const restore = Object.keys(printed).map((name) => {
    const { write } = process[name];
    process[name].write = (text) => {
      printed[name] += text;
      return true;
    };
    return () => (process[name].write = write);
  });
  process.exitCode = undefined;
  await runCommand([process.execPath, 'lintel', ...args]);
  restore.forEach((undo) => undo());
  process.send({ code: process.exitCode, ...printed });
}
