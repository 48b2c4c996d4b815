import { formatDuration } from '../../api/explain.js';
import { Notice } from '../../ui/notice.js';
import { useTexts } from '../../texts/texts.js';

export interface OtpSent {
  email: string;
  expiresInSeconds: number;
}

/** Confirms that a code was sent. Does not reveal whether an account exists. */
export function OtpSentNote({ sent }: { sent: OtpSent }) {
  const { signIn } = useTexts();
  return <Notice tone="plain">{signIn.codeSent(sent.email, formatDuration(sent.expiresInSeconds))}</Notice>;
}
