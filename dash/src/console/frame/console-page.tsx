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
  trail?: { readonly to: '/dash/model' | '/dash/people'; readonly text: string };
  actions?: ReactNode;
  children: ReactNode;
}

/** Full-width page for signed-in users. Contains the dialog for actions that need a fresh sign-in proof. */
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
