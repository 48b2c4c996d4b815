/** The pages that links in mails lead to, which are loaded together. */
export { CredentialRevokePage } from './credential-revoke-page.js';
export { EmailCancelPage } from './email-cancel-page.js';
export { EmailConfirmPage } from './email-confirm-page.js';
