import { inWords } from '../../api/explain.js';
import { Notice } from '../../ui/notice.js';

/** A code that was asked for. */
export interface OtpSent {
  email: string;
  expiresInSeconds: number;
}

/** Tells where the code went. It says nothing about whether an account exists. */
export function OtpSentNote({ sent }: { sent: OtpSent }) {
  return (
    <Notice tone="plain">
      If {sent.email} has an account, a code is on its way. It is valid for {inWords(sent.expiresInSeconds)}.
    </Notice>
  );
}
