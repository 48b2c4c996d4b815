import { Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { ProofDialog } from '../../pages/account/factors/proof-dialog.js';
import { useSession } from '../../session/use-session.js';
import { APP_NAME } from '../../ui/app-name.js';
import { GoTo } from '../../ui/go-to.js';
import { RouteLink } from '../../ui/route-link.js';
import classes from './console-page.module.css';

interface ConsolePageProps {
  title: string;
  lead?: ReactNode;
  /** The page above this one. */
  trail?: { readonly to: '/dash/model' | '/dash/people'; readonly text: string };
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Shows a page to work on: as wide as the window, for who is signed in. What needs a fresh proof asks for it here. */
export function ConsolePage({ title, lead, trail, actions, children }: ConsolePageProps) {
  const session = useSession();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${APP_NAME}`;
    heading.current?.focus();
  }, [title]);
  if (session.status === 'signed-out') return <GoTo to="/dash/login" />;
  return (
    <div className={classes.page}>
      <ProofDialog />
      <div className={classes.head}>
        {trail && (
          <>
            <RouteLink to={trail.to}>{trail.text}</RouteLink>
            <span aria-hidden>/</span>
          </>
        )}
        <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
          {title}
        </Title>
        <span className={classes.spring} />
        {actions}
      </div>
      {lead && <div className={classes.lead}>{lead}</div>}
      {children}
    </div>
  );
}
