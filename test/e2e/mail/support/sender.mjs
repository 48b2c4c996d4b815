/**
 * A service in a process of its own, for tests that kill it: `sender.mjs <database address> <environment> <mail>`, each in
 * JSON. It commits the mail, says so, and serves on.
 */
import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { assembleApp } from '../../../../dist/src/app.js';
import { parseAppConfig } from '../../../../dist/src/app.module.js';
import { createLogger } from '../../../../dist/src/platform/http/logger.js';
import { Mailer } from '../../../../dist/src/platform/mail/mailer.port.js';

const [address, environment, mail] = process.argv.slice(2).map((text) => JSON.parse(text));
const connection = { address, embedded: false, release: () => Promise.resolve() };
const app = await assembleApp({ config: parseAppConfig(environment), connection, logger: createLogger('silent') });
await app.listen(0, '127.0.0.1');
await app.get(DataSource).transaction((manager) => app.get(Mailer).enqueue(manager, mail));
process.stdout.write('committed\n');
