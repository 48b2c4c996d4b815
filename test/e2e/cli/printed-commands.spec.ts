import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_COMMANDS } from '../../../src/application/commands.js';
import { createProgram } from '../../../src/platform/cli/program.js';

const ROOT = join(__dirname, '../../..');
const PLACES = ['README.md', 'docs', 'dash/src', 'src', 'examples', 'docker'];
const COMMAND =
  /(?:npm run cli --|npx lintel|node dist\/src\/cli\.js) ([a-z-]+:?[a-z-]*(?: (?:'[^'\n]*'|"[^"\n]*"|<[^>\n]*>|[^`'"|;&\n<>()#])*)?)/g;

/** Returns the commands in docs, messages and pages, without redirections and comments. */
function printedCommands(): readonly string[] {
  const files = PLACES.flatMap((place) =>
    place.endsWith('.md')
      ? [place]
      : readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' }).map((name) => join(place, name)),
  ).filter((path) => /\.(md|ts|tsx|mjs|yaml|sh)$/.test(path) && !/(\.spec\.ts|node_modules|adr)/.test(path));
  const found = files.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(COMMAND)].map(([, command = '']) => command.trim()),
  );
  return [...new Set(found)].filter(
    (command) => command.includes(':') || /^(?:backup|restore|export|import|promote|init)\b/.test(command),
  );
}

describe('commands printed by the product', () => {
  const commands = printedCommands();

  it('are found in docs and pages', () => {
    expect(commands).toContain('roles:seed roles.json');
    expect(commands.length).toBeGreaterThan(20);
  });

  it.each(commands)('%s', async (command) => {
    const argv = (command.match(/'[^']*'|"[^"]*"|<[^>]*>|[^\s]+/g) ?? []).filter((part) => part !== '\\');
    const program = await createProgram(['node', 'lintel'], {
      application: { isService: true, variables: [], commands: [], groups: SERVICE_COMMANDS },
    } as never);
    program.configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    for (const one of program.commands) {
      one
        .action(() => undefined)
        .exitOverride()
        .configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    }
    // A name without arguments is only a mention.
    if (argv.length === 1) return expect(program.commands.map((one) => one.name())).toContain(argv[0]);
    await expect(program.parseAsync(['node', 'lintel', ...argv])).resolves.toBeDefined();
  });
});
