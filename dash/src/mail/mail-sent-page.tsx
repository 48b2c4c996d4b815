import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { onTabEvent } from '../session/tabs.js';
import { Links } from '../ui/links.js';
import { Page } from '../ui/page.js';
import { ResendButton } from './resend-button.js';
import { useAppSearch } from '../ui/use-app-search.js';
import { NextLink } from '../ui/next-link.js';
import { useTexts } from '../texts/texts.js';

interface MailSentPageProps {
  lead: ReactNode;
  resend: () => Promise<unknown>;
}

export function MailSentPage({ lead, resend }: MailSentPageProps) {
  const t = useTexts();
  const { cli } = useAppSearch();
  const navigate = useNavigate();
  // The link opens in another tab. This tab continues the sign-in of the app.
  useEffect(
    () =>
      onTabEvent((event) => {
        if (event === 'proven' && cli !== undefined) void navigate({ to: '/dash/login', search: { cli } });
      }),
    [cli, navigate],
  );
  return (
    <Page title={t.mail.checkTitle} lead={lead}>
      <div>
        <ResendButton label={t.mail.sendAgain} success={t.mail.sentAgain} send={resend} />
      </div>
      <Links>
        <NextLink guestLabel={t.frame.backToSignIn} />
      </Links>
    </Page>
  );
}
