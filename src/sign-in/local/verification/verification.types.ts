import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Response to a mail request. It is the same for every address (CONTRACT §3). */
export class MailRequested {
  @ApiProperty() readonly message: string;
  @ApiPropertyOptional({ description: 'Where codes are typed: sent back with the code.' }) readonly session_id?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Seconds for which the code is good.' })
  readonly expires_in?: number;
}

/** Proof that the user can read the mailbox: the token of a link, or a typed code with its session. */
export type MailProof = { readonly token: string } | { readonly sessionId: string; readonly code: string };

/** A proof that can be consumed directly: the token of a link, or a session with a checked code. */
export type SettledProof = { readonly token: string } | { readonly sessionId: string };
