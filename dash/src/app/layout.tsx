import { Anchor } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, type MouseEvent, Suspense, useRef } from 'react';
import { explainAsText } from '../api/explain.js';
import { NavigationRow } from '../console/shell/navigation-row.js';
import { useSession } from '../session/use-session.js';
import { APP_NAME, BRAND } from '../ui/app-name.js';
import { Notice } from '../ui/notice.js';
import { ColorSchemeButton } from './color-scheme-button.js';
import classes from './layout.module.css';
import { LanguageButtons, useAccountLanguage } from './language.js';
import { Mark } from './mark.js';
import { Refused, REFUSED } from './not-found.js';
import { SignOutButton } from './sign-out-button.js';
import { useTexts, withTexts } from '../texts/texts.js';

/** Loaded after the sign-in, because the sign-in page does not need it. */
const loadShell = withTexts(
  'model',
  withTexts('palette', () => import('../console/shell/shell.js')),
);
const Shell = lazy(async () => ({ default: (await loadShell()).Shell }));

export function Layout() {
  const main = useRef<HTMLElement>(null);
  const { frame } = useTexts();
  const session = useSession();
  useAccountLanguage();
  const navigate = useNavigate();
  const leaving = useMutation({
    // Loaded on demand, because the sign-in page does not need it.
    mutationFn: async () => (await import('../session/sign-out.js')).signOut(),
    onSuccess: async (isSignedOut) => isSignedOut && navigate({ to: '/dash/login' }),
  });
  const path = useLocation({ select: ({ pathname }) => pathname });
  function skip(event: MouseEvent): void {
    event.preventDefault();
    main.current?.focus();
  }
  return (
    <div className={classes.frame} data-wide={session.status === 'signed-in' || undefined}>
      <a href="#main" className={classes.skip} onClick={skip}>
        {frame.skip}
      </a>
      <header className={classes.header}>
        <span className={classes.name}>
          <Mark />
          {APP_NAME}
        </span>
        <div className={classes.tools}>
          {session.status !== 'unknown' && <LanguageButtons />}
          {session.status === 'signed-in' && (
            <SignOutButton busy={leaving.isPending} onLeave={() => leaving.mutate()} />
          )}
          <ColorSchemeButton />
        </div>
      </header>
      {session.status === 'signed-in' && (
        <Suspense fallback={<NavigationRow />}>
          <Shell />
        </Suspense>
      )}
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        {leaving.error && session.status === 'signed-in' && (
          <div className={classes.above}>
            <Notice tone="problem">{frame.stillSignedIn(explainAsText(leaving.error))}</Notice>
          </div>
        )}
        {REFUSED?.path === path ? <Refused code={REFUSED.code} /> : <Outlet />}
      </main>
      {(BRAND.terms ?? BRAND.privacy) && (
        <footer className={classes.foot}>
          {BRAND.terms && <Anchor href={BRAND.terms}>{frame.terms}</Anchor>}
          {BRAND.privacy && <Anchor href={BRAND.privacy}>{frame.privacy}</Anchor>}
        </footer>
      )}
    </div>
  );
}
