export { consoleErrors } from './console-errors.js';

export const palette = {
  open: 'Go to…',
  controlK: 'Ctrl K',
  title: 'Go to',
  found: 'What there is',
  none: 'Nothing is called so.',
  diagram: 'Diagram of the schemas',
  commands: {
    parts: {
      glance: 'Service: at a glance',
      mails: 'Service: e-mails',
      jobs: 'Service: jobs',
      audit: 'Service: audit log',
      backups: 'Service: backups',
      migrations: 'Service: migrations',
      settings: 'Service: settings',
    },
    list: (schema: string) => `Records: ${schema}`,
    create: (schema: string) => `New record: ${schema}`,
    define: (schema: string) => `Edit schema: ${schema}`,
  },
  help: {
    title: 'Keys',
    everywhere: 'Everywhere',
    lists: 'In lists of records',
    control: 'Ctrl',
    enter: 'Enter',
    space: 'Space',
    escape: 'Esc',
    move: 'From cell to cell',
    edit: 'Change the cell, and keep the change',
    select: 'Select the row, in its first cell',
    discard: 'Leave the cell as it was',
    save: 'Save all changes',
    close: 'Close',
  },
};
