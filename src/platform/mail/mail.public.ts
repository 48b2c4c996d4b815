/** Plain helpers of mail that other folders use, beside its module, services and ports. */
export { SEND_MAIL, type SealedMail } from './outgoing-mail.js';
