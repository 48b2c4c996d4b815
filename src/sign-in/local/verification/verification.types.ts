import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The answer to a request for a mail: the same whatever the address is (CONTRACT §3). */
export class MailRequested {
  @ApiProperty() readonly message: string;
  @ApiPropertyOptional({ description: 'Where codes are typed: sent back with the code.' }) readonly session_id?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Seconds for which the code is good.' })
  readonly expires_in?: number;
}

/** Proof that a person reads the mailbox: the token of a link, or a typed code with the session that asked for it. */
export type MailProof = { readonly token: string } | { readonly sessionId: string; readonly code: string };

/** A proof that needs nothing more: the token of a link, or the session whose code has been checked. */
export type SettledProof = { readonly token: string } | { readonly sessionId: string };
