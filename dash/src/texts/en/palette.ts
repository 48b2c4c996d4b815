export { consoleErrors } from './console-errors.js';

export const palette = {
  open: 'Go to…',
  controlK: 'Ctrl K',
  title: 'Go to',
  found: 'Results',
  none: 'No results.',
  diagram: 'Diagram of the schemas',
  commands: {
    parts: {
      glance: 'Service: overview',
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
    title: 'Keyboard shortcuts',
    everywhere: 'Everywhere',
    lists: 'In lists of records',
    control: 'Ctrl',
    enter: 'Enter',
    space: 'Space',
    escape: 'Esc',
    move: 'Move between cells',
    edit: 'Edit the cell, or confirm the edit',
    select: 'Select the row (in its first cell)',
    discard: 'Cancel the edit',
    save: 'Save all changes',
    close: 'Close',
  },
};
