import { configurationPage, envExample } from './platform/config/documentation.js';
import { errorsPage } from './kernel/error-documentation.js';
import { mailPage } from './platform/mail/mail-documentation.js';
import { schemaFaultsSection } from './data/schema/codes/schema-fault-codes.js';

/** Every file that is made from a table in the code, by its path. `npm run generate` writes them; a test keeps them fresh. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'docs/configuration.md': configurationPage(),
    'docs/errors.md': `${errorsPage()}\n${schemaFaultsSection()}`,
    'docs/mail.md': mailPage(),
    '.env.example': envExample(),
  };
}
