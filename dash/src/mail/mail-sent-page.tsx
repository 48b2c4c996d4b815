import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { onTold } from '../session/tabs.js';
import { Links } from '../ui/links.js';
import { Page } from '../ui/page.js';
import { ResendButton } from './resend-button.js';
import { useWayBack } from '../ui/use-way-back.js';
import { WayOn } from '../ui/way-on.js';
import { useTexts } from '../texts/texts.js';

interface MailSentPageProps {
  lead: ReactNode;
  resend: () => Promise<unknown>;
}

export function MailSentPage({ lead, resend }: MailSentPageProps) {
  const t = useTexts();
  const { cli } = useWayBack();
  const navigate = useNavigate();
  // The link opens in another tab. This tab continues the sign-in of the app.
  useEffect(
    () =>
      onTold((what) => {
        if (what === 'proven' && cli !== undefined) void navigate({ to: '/dash/login', search: { cli } });
      }),
    [cli, navigate],
  );
  return (
    <Page title={t.mail.checkTitle} lead={lead}>
      <div>
        <ResendButton label={t.mail.sendAgain} success={t.mail.sentAgain} send={resend} />
      </div>
      <Links>
        <WayOn guestLabel={t.frame.backToSignIn} />
      </Links>
    </Page>
  );
}
