/**
 * Runs commands in this process, for tests that run many commands and do not depend on process behaviour. Each message is run as a command;
 * the reply contains the exit code and the output. Runs the built product, or the application whose `definition` the given module exports.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , named] = process.argv;
// A custom application shares the modules of the package.
const { runCommand } = await import(`../../dist/${named === undefined ? 'program' : 'src/bootstrap'}/run-command.js`);
const { definition } = named === undefined ? {} : await import(pathToFileURL(resolve(named)).href);

process.on('message', ({ args, env }) => void perform(args, env));

async function perform(args, env) {
  const printed = { stdout: '', stderr: '' };
  const restore = Object.keys(printed).map((name) => {
    const { write } = process[name];
    process[name].write = (text) => {
      printed[name] += text;
      return true;
    };
    return () => (process[name].write = write);
  });
  const before = { ...process.env };
  Object.assign(process.env, env);
  process.exitCode = undefined;
  await runCommand([process.execPath, 'lintel', ...args], definition);
  for (const name of Object.keys(env)) delete process.env[name];
  Object.assign(process.env, before);
  restore.forEach((undo) => undo());
  process.send({ code: process.exitCode, ...printed });
}
