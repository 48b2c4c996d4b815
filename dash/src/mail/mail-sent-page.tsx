import type { ReactNode } from 'react';
import { Links } from '../ui/links.js';
import { Page } from '../ui/page.js';
import { ResendButton } from './resend-button.js';
import { RouteLink } from '../ui/route-link.js';

interface MailSentPageProps {
  lead: ReactNode;
  resend: () => Promise<unknown>;
}

/** Tells that an e-mail is on its way and what to do with it. */
export function MailSentPage({ lead, resend }: MailSentPageProps) {
  return (
    <Page title="Check your e-mail" lead={lead}>
      <div>
        <ResendButton label="Send it again" success="Another e-mail is on its way. Use the newest one." send={resend} />
      </div>
      <Links>
        <RouteLink to="/dash/login">Back to sign-in</RouteLink>
      </Links>
    </Page>
  );
}
