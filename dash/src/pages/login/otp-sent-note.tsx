import { inWords } from '../../api/explain.js';
import { Notice } from '../../ui/notice.js';
import { useTexts } from '../../texts/texts.js';

/** A code that was asked for. */
export interface OtpSent {
  email: string;
  expiresInSeconds: number;
}

/** Tells where the code went. It says nothing about whether an account exists. */
export function OtpSentNote({ sent }: { sent: OtpSent }) {
  const { signIn } = useTexts();
  return <Notice tone="plain">{signIn.codeSent(sent.email, inWords(sent.expiresInSeconds))}</Notice>;
}
