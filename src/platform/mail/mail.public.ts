export { SEND_MAIL, type SealedMail } from './outgoing-mail.js';
