/** All pages are in one chunk. */
export { CredentialRevokePage } from './credential-revoke-page.js';
export { EmailCancelPage } from './email-cancel-page.js';
export { EmailConfirmPage } from './email-confirm-page.js';
