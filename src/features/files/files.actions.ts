import { defineAuditActions } from '../../platform/audit/audit.public.js';

const ACTIONS = defineAuditActions('Files', {
  'file.upload': 'A file was uploaded. The changes contain its type, size and SHA-256.',
  'file.replace': 'The content of a file was replaced. The changes contain the new type, size and SHA-256.',
  'file.remove':
    'A file was permanently deleted, because it was deleted or unlinked for longer than the retention time.',
  'file.refuse':
    'A scanner rejected a file, and the file was deleted. The changes contain the finding and the SHA-256 of the file.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}
